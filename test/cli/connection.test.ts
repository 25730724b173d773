import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freePort } from '../../src/process/free-port.ts';
import { adminCli } from '../support/admin-cli.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../support/corridor.ts';
import { COMMAND_SECRET } from '../support/environment.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Where the admin CLI gets the address and the key from, and what it says if they are wrong. */
const corridor = await useCorridor();
const { admin, refused } = adminCli(corridor);
const env = { PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY };
const agent = await corridor.newAgent();
await corridor.newLp();
await agent.newOrder();

test('The key and the address default to the development secrets and the default port', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corridor-admin-'));
  const secrets = {
    adminApiKey: ADMIN_KEY,
    webhookSecret: WEBHOOK_SECRET,
    commandSecret: COMMAND_SECRET,
  };
  await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(secrets));
  const settings = { DATA_DIR: dataDir, PORT: String(corridor.config.port) };
  const { exit, stdout } = await admin('keys list', settings);
  expect([exit, stdout]).toEqual([0, expect.stringContaining('test')]);
  await rm(dataDir, { recursive: true });
});

test('The key and the address can be given as options, whatever the settings are', async () => {
  const command = `keys list --url ${corridor.config.publicUrl}/ --key ${ADMIN_KEY}`;
  expect(await admin(command, { NODE_ENV: 'production', PORT: 'none' })).toMatchObject({ exit: 0 });
});

test('A wrong key or address is reported in one line without the key', async () => {
  expect(await refused('keys list --key some-other-key-than-the-right-one')).toBe(
    `corridor: The Corridor at ${corridor.config.publicUrl} refuses the admin key from --key. Set ADMIN_API_KEY, give --key, or set DATA_DIR to the folder that this Corridor was started with.`,
  );
  const person = await corridor.admin('POST', '/api/admin/admins', { name: 'Gone', role: 'viewer' });
  await corridor.admin('DELETE', `/api/admin/admins/${person.body.id}`);
  expect(await refused(`keys list --key ${person.body.api_key}`)).toMatch(
    /refuses the admin key from --key\. It is the key of a person: it was deactivated or replaced, has expired,/,
  );
  expect(await refused(`keys list --key ${agent.key}`)).toBe(
    'corridor: The key from --key is not usable. This is an agent’s key, and an admin’s key is needed here (adm_live_…, or ADMIN_API_KEY).',
  );
  expect(await refused('keys list --key "a kéy"')).toBe(
    'corridor: The admin key contains characters that are not allowed in a key.',
  );
  expect(await refused('keys list --url corridor.example')).toMatch(/"corridor.example" is not an address/);
  expect(await refused('keys list', { ...env, PUBLIC_URL: '', PORT: 'eighty' })).toMatch(
    /^corridor: The settings are not usable: PORT /,
  );
});

test('A missing key creates no file: the line names the folder, and what to set', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corridor-cli-'));
  const settings = { DATA_DIR: join(dataDir, 'other'), PUBLIC_URL: corridor.config.publicUrl };
  expect(await refused('keys list', settings)).toBe(
    `corridor: ADMIN_API_KEY is not set, and DATA_DIR (${dataDir}/other) has no secrets.json. Set DATA_DIR to the folder that the running Corridor was started with, or set ADMIN_API_KEY.`,
  );
  expect(await refused('why 1', settings)).toContain(`No database runs in DATA_DIR (${dataDir}/other).`);
  expect(await readdir(dataDir)).toEqual([]);
  const secrets = { adminApiKey: 'of-another-corridor', webhookSecret: 'two', commandSecret: 'three' };
  await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(secrets));
  expect(await refused('keys list', { ...settings, DATA_DIR: dataDir })).toContain(
    `refuses the admin key from ${dataDir}/secrets.json. Set ADMIN_API_KEY, give --key, or set DATA_DIR`,
  );
  await rm(dataDir, { recursive: true });
});

test('The CLI needs neither the chains nor the other secrets of a start', async () => {
  const production = { NODE_ENV: 'production', ADMIN_API_KEY: ADMIN_KEY };
  const { exit, stderr } = await admin(`keys list --url ${corridor.config.publicUrl}`, production);
  expect([exit, stderr]).toEqual([0, '']);
  const { databaseUrl } = corridor.config;
  const settings = { NODE_ENV: 'production', DATABASE_URL: databaseUrl ?? '' };
  expect(await admin('audit verify', settings)).toMatchObject({ exit: 0, stderr: '' });
  expect(await admin('why 1', settings)).toMatchObject({ exit: 0, stderr: '' });
});

test('An address where nothing answers, or something other than Corridor, is reported in one line', async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  expect(await refused(`keys list --url ${nowhere}`)).toMatch(
    new RegExp(`^corridor: No Corridor answers at ${nowhere}\\. Start one with "npm start"`),
  );
  expect(await refused(`keys list --url ${corridor.config.publicUrl}/docs#`)).toMatch(/is not a Corridor/);
});

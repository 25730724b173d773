import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { freePort } from '../../../src/process/free-port.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { COMMAND_SECRET, testEnvironment } from '../../support/environment.ts';
import { run } from '../../support/processes.ts';

/** What a start says about data that it cannot use: one line, and nothing is changed. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-data-'));
});
afterAll(() => rm(folder, { recursive: true }));

const said = async (file: string, args: string[], settings: Record<string, string>) => {
  const process = run(file, args, { PORT: String(await freePort()), ...settings });
  expect(await process.ended).toBe(1);
  return process.stderr();
};
const startOn = (dataDir: string) => said('src/main.ts', ['all'], { DATA_DIR: dataDir });

describe('a DATA_DIR that cannot be a folder', () => {
  // A read-only folder does not stop root, who may run the tests.
  const unusable = () => join(folder, 'a-file', 'data');
  const advice = (failed: string) =>
    `DATA_DIR (${unusable()}) cannot be used (ENOTDIR: not a directory, ${failed}'). Make it a folder that Corridor can write to, or set DATA_DIR to another one.\n`;
  beforeAll(() => writeFile(join(folder, 'a-file'), ''));

  test('is named at the start', async () => {
    expect(await startOn(unusable())).toBe(`corridor: ${advice(`open '${unusable()}/secrets.json`)}`);
  });

  test('is named by an API that stores receipts there, with servers of its own', async () => {
    const settings = {
      ...databaseSettings(await freshDatabase()),
      TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
      ADMIN_API_KEY: ADMIN_KEY,
      WEBHOOK_SECRET,
      COMMAND_SECRET,
    };
    const line = advice(`mkdir '${unusable()}/receipts/incoming`);
    expect(await said('src/main.ts', ['api'], { ...settings, DATA_DIR: unusable() })).toContain(
      `corridor: ${line}`,
    );
  });

  test('is named by npm run listen', async () => {
    const settings = { DATA_DIR: unusable(), WEBHOOK_SECRET, ADMIN_API_KEY: ADMIN_KEY, COMMAND_SECRET };
    expect(await said('companion/listen.ts', ['--port', '0'], settings)).toBe(advice(`mkdir '${unusable()}`));
  });
});

test.each([
  ['half of it', '{"adminApi', 'valid JSON'],
  [
    'an empty secret',
    JSON.stringify({ adminApiKey: 'a', webhookSecret: '', commandSecret: 'c' }),
    'webhookSecret',
  ],
])('a secrets.json with %s is named, and stays', async (_, text, lacking) => {
  const file = join(folder, 'secrets.json');
  await writeFile(file, text);
  expect(await startOn(folder)).toBe(
    `corridor: ${file} lacks ${lacking}. Restore it, or remove it to start with new secrets.\n`,
  );
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('a database folder without PG_VERSION, as after half of a restore, is named, and nothing in it changes', async () => {
  const dataDir = join(folder, 'half-restored');
  const postgres = join(dataDir, 'postgres');
  await mkdir(join(postgres, 'base'), { recursive: true });
  await writeFile(join(postgres, 'base', '1'), 'rows');
  await writeFile(`${postgres}.password`, 'earlier\n');
  expect(await startOn(dataDir)).toContain(
    `corridor: ${postgres} has files, but no PostgreSQL data (PG_VERSION is missing), so Corridor changes nothing there.`,
  );
  expect(await readFile(join(postgres, 'base', '1'), 'utf8')).toBe('rows');
  expect(await readFile(`${postgres}.password`, 'utf8')).toBe('earlier\n');
});

describe('a database of another initial schema', () => {
  test.each([
    ['has another hash', `update initial_schema set hash = 'another'`],
    ['has none', 'drop table initial_schema'],
  ])('that %s is refused by every part', async (_, sql) => {
    const url = await freshDatabase();
    const settings = { ...databaseSettings(url), TEMPORAL_ADDRESS: testEnvironment().temporalAddress };
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql);
    await client.end();
    for (const part of ['all', 'api', 'worker', 'migrate'])
      expect(await said('src/main.ts', [part], { ...settings, DATA_DIR: join(folder, 'own') })).toBe(
        'corridor: The database was made by another version of Corridor, whose schema this one cannot change. Set DATABASE_URL to an empty database.\n',
      );
  });
});

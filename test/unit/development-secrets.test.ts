import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/settings/config.ts';
import { loadSecrets } from '../../src/settings/secrets.ts';

let dataDir: string;
const load = () => loadSecrets(loadConfig({ DATA_DIR: dataDir }));
const file = () => join(dataDir, 'secrets.json');
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'corridor-secrets-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

test('concurrent starts create the same secrets, which stay', async () => {
  const [first, ...others] = await Promise.all([load(), load(), load()]);
  for (const other of [...others, await load()]) expect(other).toEqual(first);
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
    adminApiKey: first.adminApiKey,
    webhookSecret: first.webhookSecret,
    commandSecret: first.commandSecret,
  });
});

test.each([
  ['{"adminApiKey":"admin_1","webhookSecret":"2"}', 'commandSecret'],
  ['{"adminApi', 'valid JSON'],
])(
  'a file of secrets with %s is refused with the missing part, and does not change',
  async (text, lacking) => {
    await writeFile(file(), text);
    await expect(load()).rejects.toThrow(
      `${file()} lacks ${lacking}. Restore it, or remove it to start with new secrets.`,
    );
    expect(await readFile(file(), 'utf8')).toBe(text);
  },
);

describe('a value that somebody has written into the file keeps the rules of the settings', () => {
  const strong = {
    adminApiKey: 'admin_0123456789',
    webhookSecret: 'webhook_0123456789',
    commandSecret: 'command_0123456789',
  };
  test.each([
    [{ adminApiKey: 'short' }, 'ADMIN_API_KEY must have at least 16 characters'],
    [{ adminApiKey: 'aaaaaaaaaaaaaaaaaaaa' }, 'ADMIN_API_KEY must be random'],
    [{ webhookSecret: 'whsec_not base64 at all' }, 'WEBHOOK_SECRET must have base64 after whsec_'],
    [{ adminApiKey: strong.webhookSecret }, 'WEBHOOK_SECRET and ADMIN_API_KEY must be different'],
  ])('%j is refused', async (written, fault) => {
    const text = JSON.stringify({ ...strong, ...written });
    await writeFile(file(), text);
    await expect(load()).rejects.toThrow(`The secrets in ${file()} are not usable: ${fault}`);
    expect(await readFile(file(), 'utf8')).toBe(text);
  });

  test('a strong one is used', async () => {
    await writeFile(file(), JSON.stringify(strong));
    expect(await load()).toMatchObject(strong);
  });
});

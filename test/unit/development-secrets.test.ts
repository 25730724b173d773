import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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

import { expect, test } from '@jest/globals';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ worker: false });

const textOf = async ({ config }: TestCorridor): Promise<string> => {
  const response = await fetch(`${config.publicUrl}/llms.txt`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  return response.text();
};

test('starts with a name and a description, and all its links work', async () => {
  const text = await textOf(corridor);
  expect(text).toMatch(/^# Corridor\n\n> \S/);
  const links = [...text.matchAll(/\]\((\S+?)\)/g)].map(([, url]) => url ?? '');
  expect(links.map((url) => new URL(url).pathname)).toEqual(['/openapi.json', '/docs', '/docs/errors']);
  for (const url of links) expect([url, (await fetch(url)).status]).toEqual([url, 200]);
});

test('names only routes of the OpenAPI document', async () => {
  const { paths } = (await corridor.anyone('GET', '/openapi.json')).body;
  const named = [...(await textOf(corridor)).matchAll(/\b(GET|POST) (\/[\w/{}-]+)/g)];
  expect(named.length).toBeGreaterThan(2);
  for (const [, method = '', path = ''] of named)
    expect([path, Object.keys(paths[path] ?? {})]).toEqual([
      path,
      expect.arrayContaining([method.toLowerCase()]),
    ]);
});

test('mentions test values only if the sandbox is on', async () => {
  expect(await textOf(corridor)).toContain('+99900000001: claimed');
  const real = await startCorridor({
    env: { SANDBOX: 'false', CHAIN_TRX_RPC_URL: 'http://127.0.0.1:9' },
    worker: false,
  });
  try {
    expect(await textOf(real)).not.toMatch(/sandbox/i);
  } finally {
    await real.stop();
  }
});

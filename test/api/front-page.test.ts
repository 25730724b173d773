import { expect, test } from '@jest/globals';
import { eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();

test('a browser at the API’s address gets a front page, and every link and style on it works', async () => {
  const { publicUrl } = corridor.config;
  const front = await fetch(publicUrl);
  expect([front.status, front.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const paths = [...(await front.text()).matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      '/docs',
      '/docs/errors',
      '/console',
      '/llms.txt',
      '/docs/plain.css',
      '/logo.svg',
    ]),
  );
  // The worker is not available from the first moment.
  for (const path of paths)
    await eventuallyEquals(async () => `${path} ${(await fetch(publicUrl + path)).status}`, `${path} 200`);
});

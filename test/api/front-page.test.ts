import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';

let corridor: TestCorridor;
beforeAll(async () => {
  corridor = await startCorridor({ worker: false });
});
afterAll(() => corridor.stop());

test('whoever opens the address of the API in a browser is led to its pages, and every link and style is there', async () => {
  const { publicUrl } = corridor.config;
  const front = await fetch(publicUrl);
  expect([front.status, front.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const paths = [...(await front.text()).matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['/docs', '/docs/errors', '/console', '/llms.txt', '/docs/plain.css']),
  );
  for (const path of paths) expect([path, (await fetch(publicUrl + path)).status]).toEqual([path, 200]);
});

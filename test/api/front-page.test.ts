import { expect, test } from '@jest/globals';
import { corridorForFile } from '../support/file-corridor.ts';

const corridor = await corridorForFile({ worker: false });

test('a browser at the API’s address gets a front page, and every link and style on it works', async () => {
  const { publicUrl } = corridor.config;
  const front = await fetch(publicUrl);
  expect([front.status, front.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const paths = [...(await front.text()).matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['/docs', '/docs/errors', '/console', '/llms.txt', '/docs/plain.css']),
  );
  for (const path of paths) expect([path, (await fetch(publicUrl + path)).status]).toEqual([path, 200]);
});

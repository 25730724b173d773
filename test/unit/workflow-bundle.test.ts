import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BUNDLED, bundleWorkflows, workflowBundle } from '../../src/service/worker/bundle.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-bundle-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('contains only files that its cache key covers', async () => {
  const [, map = ''] = /sourceMappingURL=data:[^,]*base64,(\S+)/.exec(await bundleWorkflows()) ?? [];
  const { sources }: { sources: string[] } = JSON.parse(Buffer.from(map, 'base64').toString());
  const ours = sources.filter((source) => source.endsWith('.ts') && !source.includes('node_modules'));
  expect(ours).toContainEqual(expect.stringMatching(/workflows\/order\.ts$/));
  const elsewhere = ours.filter((source) => !BUNDLED.some((place) => source.includes(`/${place}/`)));
  expect(elsewhere).toEqual([]);
});

test('is built once, and then read from the cache', async () => {
  const made: string[] = [];
  const make = async () => {
    made.push('made');
    return 'the code';
  };
  const kept = join(folder, 'kept');
  expect(await workflowBundle('none', kept, make)).toEqual({ code: 'the code' });
  const [name] = await readdir(kept);
  expect(await workflowBundle('none', kept, make)).toEqual({ codePath: join(kept, String(name)) });
  expect(await readdir(kept)).toHaveLength(1);
  expect(made).toEqual(['made']);
});

test('that cannot be built, or stored for an unknown reason, is reported', async () => {
  const broken = join(folder, 'broken');
  await expect(workflowBundle('none', broken, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  // A file where a folder should be: reported, not ignored.
  await writeFile(broken, '');
  await expect(workflowBundle('none', broken, async () => 'code')).rejects.toThrow(/ENOTDIR|EEXIST/);
});

test('is another one with stacks', async () => {
  const both = join(folder, 'both');
  const makeNamed = (content: string) => async () => content;
  expect(await workflowBundle('none', both, makeNamed('short'))).toEqual({ code: 'short' });
  expect(await workflowBundle('full', both, makeNamed('long'))).toEqual({ code: 'long' });
});

import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runCommand } from '../../../src/service/embedded/run-command.ts';
import { findTemporal } from '../../../src/service/embedded/temporal-binary.ts';

let folder: string;
let reported: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-temporal-'));
  reported = [];
});
afterEach(() => rm(folder, { recursive: true }));

/** A folder with a program `temporal` that prints this. */
async function programThatPrints(name: string, text: string): Promise<string> {
  const place = join(folder, name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'temporal'), `#!/bin/sh\necho '${text}'\n`);
  await chmod(join(place, 'temporal'), 0o755);
  return place;
}

test('a download with another checksum is not run', async () => {
  const archive = join(folder, 'archive.tar.gz');
  const place = await programThatPrints('forged', 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)');
  await runCommand('tar', ['-czf', archive, '-C', place, 'temporal']);
  const server = createServer((_, response) => response.end(readFileSync(archive)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const finding = findTemporal({
    // Without Go.
    env: { PATH: '', XDG_CACHE_HOME: folder },
    progress: () => undefined,
    signal: new AbortController().signal,
    downloads: `http://127.0.0.1:${port}`,
  });
  await expect(finding).rejects.toThrow(/the download has the checksum [0-9a-f]{64} instead of [0-9a-f]{64}/);
  expect(existsSync(join(folder, 'corridor', 'temporal-server-1.5.1', 'temporal'))).toBe(false);
  server.close();
});

test('a build takes the version of the download, and a driver that survives a query that its caller gave up', () => {
  const module = readFileSync('src/service/embedded/temporal-server/go.mod', 'utf8');
  expect(module).toContain('\tgithub.com/temporalio/cli v1.5.1 ');
  // Before 1.40.1, such a query could make all later ones fail with "interrupted (9)".
  const [, minor] = /^\tmodernc\.org\/sqlite v1\.(\d+)/m.exec(module) ?? [];
  expect(Number(minor)).toBeGreaterThanOrEqual(41);
});

const find = (...path: string[]) =>
  findTemporal({
    env: { PATH: path.join(delimiter), XDG_CACHE_HOME: folder },
    progress: (message) => void reported.push(message),
    signal: new AbortController().signal,
  });

test.each(['1.29.1', '1.30.0', '1.40.2'])('a Temporal on PATH with server %s is used', async (version) => {
  const place = await programThatPrints('bin', `temporal version 1.5.1 (Server ${version}, UI 2.42.1)`);
  expect(await find(place)).toBe(join(place, 'temporal'));
  expect(reported).toEqual([]);
});

test.each([
  ['temporal version 1.1.0 (Server 1.25.0, UI 2.30.0)', 'has Temporal server 1.25'],
  ['temporal version 2.0.0 (Server 2.0.0, UI 3.0.0)', 'has Temporal server 2.0'],
  ['something else', 'does not say its version'],
])('one that prints %j is reported, and the next one is used', async (printed, why) => {
  const unfit = await programThatPrints('unfit', printed);
  await programThatPrints('corridor/temporal-server-1.5.1', 'anything');
  expect(await find(unfit)).toBe(join(folder, 'corridor', 'temporal-server-1.5.1', 'temporal'));
  expect(reported).toEqual([expect.stringContaining(why)]);
});

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from '@jest/globals';

const run = promisify(execFile);
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const TSC = join(ROOT, 'node_modules/.bin/tsc');

/** Builds the client, and installs it with its dependencies for programs in this folder. */
export async function installClient(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules/corridor-client');
  await run(TSC, ['-p', 'client', '--outDir', join(installed, 'dist')], { cwd: ROOT });
  cpSync(join(ROOT, 'client/package.json'), join(installed, 'package.json'));
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  cpSync(join(ROOT, 'node_modules/ws'), join(folder, 'node_modules/ws'), { recursive: true });
}

/** A folder with the client installed, until the end of the file's tests. */
export function clientFolderForFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-client-'));
  beforeAll(() => installClient(folder));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The Node that runs the tests, and the host's own if the client supports it. */
export async function nodes(): Promise<string[]> {
  const found = [process.execPath];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node');
    if (folder.includes('node_modules') || !existsSync(node)) continue;
    const { stdout } = await run(node, ['--version']);
    const [major = 0, minor = 0] = stdout.slice(1).split('.').map(Number);
    if (major > 20 || (major === 20 && minor >= 3)) return [...found, node];
  }
  return found;
}

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedBuild, PROJECT } from '../../process/build-cache.ts';

/** The folders of all sources of the console. A test compares them with the bundle's inputs. */
export const CONSOLE_SOURCES = ['console', 'src/domain'] as const;
const LARGEST_BUILD = 16 * 1024 * 1024;

/** The console's files by path: scripts, one style sheet and the page. All are text. */
export type ConsoleFiles = Record<string, string>;

/**
 * The console's files, from the last build of the same sources if there is one. `console/build.ts` builds them in a process of
 * its own, so the service neither loads nor depends on the console's packages. An image carries a build.
 */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const kept = await cachedBuild({
    name: 'console',
    extension: '.json',
    sources: CONSOLE_SOURCES,
    make: buildConsole,
  });
  return JSON.parse('path' in kept ? await readFile(kept.path, 'utf8') : kept.content);
}

async function buildConsole(): Promise<string> {
  const program = join(PROJECT, 'console', 'build.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: LARGEST_BUILD });
  return stdout;
}

import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { keptBuild, PROJECT } from './kept-build.ts';

/** All that the console's pages are made of: a test sees to it. */
export const CONSOLE_SOURCES = ['console', 'src/domain'] as const;
const OUT = '/console';

const OPTIONS = {
  absWorkingDir: PROJECT,
  entryPoints: { app: 'console/src/main.tsx' },
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  // What loads later is named by its content, so that an old page cannot take in a part of a new one.
  chunkNames: 'part-[hash]',
  target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
  minify: true,
  write: false,
  metafile: true,
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** The console's files by their path under the API: scripts, one style sheet and the page. All are text. */
export type ConsoleFiles = Record<string, string>;

/** Makes the console's files, in a fraction of a second, and tells what of the project they were made of. */
export async function bundleConsole(): Promise<{ files: ConsoleFiles; madeOf: string[] }> {
  // Only loaded by who has to build: most find what was built before.
  const { build, stop } = await import('esbuild');
  const { outputFiles, metafile } = await build(OPTIONS).finally(stop);
  const scripts = outputFiles.map(({ path, text }) => [`${OUT}/${relative(OUT, path)}`, text] as const);
  const page = await readFile(join(PROJECT, 'console', 'index.html'), 'utf8');
  return { files: Object.fromEntries([...scripts, [OUT, page]]), madeOf: Object.keys(metafile.inputs) };
}

/** The same, from the last time that they were made of the same sources. */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const kept = await keptBuild({
    name: 'console',
    extension: '.json',
    sources: CONSOLE_SOURCES,
    make: async () => JSON.stringify((await bundleConsole()).files),
  });
  return JSON.parse('path' in kept ? await readFile(kept.path, 'utf8') : kept.content);
}

import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { cachedBuild, PROJECT } from '../../process/build-cache.ts';

/** The folders of all sources of the console. A test compares them with the bundle's inputs. */
export const CONSOLE_SOURCES = ['console', 'src/domain'] as const;
const OUT = '/console';

const OPTIONS = {
  absWorkingDir: PROJECT,
  entryPoints: { app: 'console/src/main.tsx' },
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  // A chunk is named by its content, so that an old page cannot load a chunk of a new release.
  chunkNames: 'part-[hash]',
  target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
  minify: true,
  write: false,
  metafile: true,
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** The console's files by path: scripts, one style sheet and the page. All are text. */
export type ConsoleFiles = Record<string, string>;

/** Builds the console's files, and returns the project's files that went into them. */
export async function bundleConsole(): Promise<{ files: ConsoleFiles; inputs: string[] }> {
  // Loaded only when a build is needed: most processes find an earlier build.
  const { build, stop } = await import('esbuild');
  const { outputFiles, metafile } = await build(OPTIONS).finally(stop);
  const scripts = outputFiles.map(({ path, text }) => [`${OUT}/${relative(OUT, path)}`, text] as const);
  const page = await readFile(join(PROJECT, 'console', 'index.html'), 'utf8');
  return { files: Object.fromEntries([...scripts, [OUT, page]]), inputs: Object.keys(metafile.inputs) };
}

/** The console's files, from the last build of the same sources if there is one. */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const kept = await cachedBuild({
    name: 'console',
    extension: '.json',
    sources: CONSOLE_SOURCES,
    make: async () => JSON.stringify((await bundleConsole()).files),
  });
  return JSON.parse('path' in kept ? await readFile(kept.path, 'utf8') : kept.content);
}

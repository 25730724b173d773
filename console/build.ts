import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, stop } from 'esbuild';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
/** The path below which the API serves the files. */
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

/** Builds the console's files by path, all of them text, and returns the project's files that went into them. */
export async function bundleConsole(): Promise<{ files: Record<string, string>; inputs: string[] }> {
  const { outputFiles, metafile } = await build(OPTIONS).finally(stop);
  const scripts = outputFiles.map(({ path, text }) => [`${OUT}/${relative(OUT, path)}`, text] as const);
  const page = await readFile(join(PROJECT, 'console', 'index.html'), 'utf8');
  return { files: Object.fromEntries([...scripts, [OUT, page]]), inputs: Object.keys(metafile.inputs) };
}

// As a program, it prints the files as JSON: the API runs it that way, so that it needs none of the console's packages.
if (import.meta.main) process.stdout.write(JSON.stringify((await bundleConsole()).files));

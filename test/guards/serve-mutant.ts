import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MUTANT } from '../support/environment.ts';

/** What the variable holds: the file of a guard, and a copy of it without the guard. Absolute paths. */
export interface Mutant {
  file: string;
  copy: string;
}

/**
 * Preloaded into every Node process of an attack, also into those that a test starts. They load and read the
 * file of the guard without the guard, while the file itself stays as it is.
 */
function serve({ file, copy }: Mutant): void {
  const url = pathToFileURL(file).href;
  const source = fs.readFileSync(copy, 'utf8');
  registerHooks({
    load: (loaded, context, next) => {
      const result = next(loaded, context);
      return loaded === url ? { ...result, source } : result;
    },
  });

  // SQL is read as a file, and so is what the bundler of the workflows reads.
  const isGuarded = (path: unknown) => (path instanceof URL ? path.href === url : path === file);
  const redirected = <F extends (path: never, ...rest: never[]) => unknown>(read: F): F =>
    ((path: never, ...rest: never[]) => read(isGuarded(path) ? (copy as never) : path, ...rest)) as F;
  const { readFile, readFileSync, promises } = fs;
  Object.assign(fs, { readFile: redirected(readFile), readFileSync: redirected(readFileSync) });
  promises.readFile = redirected(promises.readFile);
  syncBuiltinESMExports();
}

const mutant = process.env[MUTANT];
if (mutant) serve(JSON.parse(mutant));

import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** The folders that `.gitignore` names, by name or by path. */
const IGNORED = readFileSync('.gitignore', 'utf8')
  .split('\n')
  .flatMap((line) => (line.endsWith('/') ? [line.slice(0, -1)] : []))
  .concat('.git');

/** The project's own files with these extensions. It works without git, which tests do not need. */
export const projectFiles = (extensions: string[]): string[] =>
  globSync(`**/*.{${extensions.join(',')}}`, {
    exclude: (path) => IGNORED.includes(path) || IGNORED.includes(basename(path)),
  }).sort();

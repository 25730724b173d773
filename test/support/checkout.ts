import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './client-package.ts';

/** Folders that the pages write into, so that each checkout needs its own. */
const COPIED = ['client', 'examples'];
const LEFT_OUT = ['.data', '.git'];

/** The project in its own folder, as after `npm ci`: without `.data`, everything else shared. */
export function freshCheckout(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-checkout-'));
  const isSource = (file: string) => !/\/(node_modules|dist)(\/|$)/.test(file.slice(ROOT.length - 1));
  for (const name of readdirSync(ROOT)) {
    if (LEFT_OUT.includes(name)) continue;
    if (COPIED.includes(name))
      cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: isSource });
    else symlinkSync(join(ROOT, name), join(folder, name));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The project in its own folder, which a test may change: only the installed packages are shared. */
export function scratchCopy(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-copy-'));
  const isSource = (file: string) =>
    !/\/(\.data|\.git|node_modules|dist|coverage)(\/|$)/.test(file.slice(ROOT.length - 1));
  cpSync(ROOT, folder, { recursive: true, verbatimSymlinks: true, filter: isSource });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The content of every file that a script could write, by its path. */
export function filesOf(folder: string): Map<string, string> {
  const isFile = (path: string) => !/(^|\/)(node_modules|\.data|coverage)(\/|$)/.test(path);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => isFile(path.slice(folder.length + 1)))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]),
  );
}

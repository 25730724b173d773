import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BrowserProgram } from './npm-chromium.ts';

/** The first one has no window and no extensions, so that the tests need less than half of the CPU time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/**
 * Finds Chromium: the program that `CHROMIUM` names, the one that `npm ci` has installed, or one on the PATH. Undefined if
 * there is none. The returned function prepares it, because the one from npm is packed.
 */
export function findChromium(
  { CHROMIUM, PATH = '' }: NodeJS.ProcessEnv,
  fromNpm: (() => Promise<BrowserProgram>) | undefined,
): (() => Promise<BrowserProgram>) | undefined {
  if (CHROMIUM) {
    if (isProgram(CHROMIUM)) return async () => ({ executablePath: CHROMIUM });
    throw new Error(`CHROMIUM is not the path of a program: ${CHROMIUM}`);
  }
  if (fromNpm) return fromNpm;
  const folders = PATH.split(delimiter).filter(Boolean);
  const installed = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
  return installed === undefined ? undefined : async () => ({ executablePath: installed });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

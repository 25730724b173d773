import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first one has no window and no extensions, so that the tests need less than half of the CPU time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** Returns the path of Chromium: the one in `CHROMIUM`, or one on the PATH. Undefined if there is none. */
export function findChromium({ CHROMIUM, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  if (CHROMIUM) {
    if (isProgram(CHROMIUM)) return CHROMIUM;
    throw new Error(`CHROMIUM is not the path of a program: ${CHROMIUM}`);
  }
  const folders = PATH.split(delimiter).filter(Boolean);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

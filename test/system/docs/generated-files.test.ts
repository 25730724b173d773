import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { filesOf, scratchCopy } from '../../support/checkout.ts';
import { testEnvironment } from '../../support/environment.ts';

const run = promisify(execFile);

/** The scripts that write committed files, in the order in which one needs the other’s. */
const GENERATORS = [
  'docs:examples',
  'docs:openapi',
  'docs:lifecycle',
  'docs:helm',
  'client:contract',
  'record:statements',
];

let copy: ReturnType<typeof scratchCopy>;
let before: Map<string, string>;
beforeAll(() => {
  copy = scratchCopy();
  before = filesOf(copy.folder);
});
afterAll(() => copy.remove());

test('the list has every script that writes committed files', () => {
  const { scripts } = JSON.parse(readFileSync(join(copy.folder, 'package.json'), 'utf8'));
  // Recorded histories have the times and ids of their run.
  const writing = Object.keys(scripts).filter((name) => /^(docs|record):|:contract$/.test(name));
  expect(writing.filter((name) => name !== 'record:histories').sort()).toEqual([...GENERATORS].sort());
});

test.each(GENERATORS)(
  'npm run %s leaves the committed files as they are; if not, run it',
  async (script) => {
    const PATH = [process.env.PATH, dirname(testEnvironment().temporalBinary)].join(delimiter);
    await run('npm', ['run', script], { cwd: copy.folder, env: { ...process.env, PATH } });
    const after = filesOf(copy.folder);
    const names = [...new Set([...before.keys(), ...after.keys()])];
    expect(names.filter((name) => before.get(name) !== after.get(name))).toEqual([]);
  },
  300_000,
);

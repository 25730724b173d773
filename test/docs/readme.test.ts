import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** The README is a front page: details belong in `docs`. */
const MAX_LINES = 180;

test(`README.md has at most ${MAX_LINES} lines`, () => {
  const lines = readFileSync('README.md', 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
});

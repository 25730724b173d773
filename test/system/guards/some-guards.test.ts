import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { seedFrom } from '../../support/random.ts';

const SEED = seedFrom('GUARDS_SEED');

/** `npm run test:guards` takes all. */
test(
  `Each of 40 guards has a test that fails without it, with GUARDS_SEED=${SEED}`,
  async () => {
    process.stderr.write(`GUARDS_SEED=${SEED}\n`);
    const guards = spawn(
      process.execPath,
      ['test/guards/main.ts', '--seed', `${SEED}`, '--count', '40', '--lanes', '1'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const lines = (await text(guards.stdout)).split('\n');
    expect(lines.filter((line) => line.startsWith('✗'))).toEqual([]);
    expect(lines).toContainEqual(
      expect.stringMatching(/^40 of 40 guards have a test that fails without them/),
    );
  },
  30 * 60_000,
);

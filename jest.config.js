import { randomInt } from 'node:crypto';

/**
 * The seeds of random tests. That of `npm test` is always the same, so that a run says the same of the same code:
 * `TEST_SEED=new` draws one, and `TEST_SEED=7` repeats it. `test/system` draws one in each run; `TEST_SYSTEM_SEED=7` repeats it.
 * Jest's workers inherit both.
 */
const drawn = String(randomInt(2 ** 31));
if (process.env.TEST_SEED === 'new') process.env.TEST_SEED = drawn;
process.env.TEST_SEED ??= '20261129';
process.env.TEST_SYSTEM_SEED ??= drawn;
process.stderr.write(
  `tests: TEST_SEED=${process.env.TEST_SEED} TEST_SYSTEM_SEED=${process.env.TEST_SYSTEM_SEED}\n`,
);

/** What both tiers share: one set of servers for all tests; each file gets a database and a Temporal namespace of its own. */
const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Test files are not isolated from each other in memory: see there.
  testRunner: '<rootDir>/test/support/runner/native-test-runner.js',
  setupFilesAfterEnv: ['<rootDir>/test/support/runner/fast-check-seed.js'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
};

/** The folder says the tier: what starts programs, browsers or nodes, or waits for real time, is in `test/system`. */
const FAST = {
  displayName: 'fast',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['<rootDir>/test/system/', '<rootDir>/test/quarantine/'],
};
const SYSTEM = {
  displayName: 'system',
  testMatch: ['<rootDir>/test/system/**/*.test.ts'],
};

export default {
  projects: [
    { ...shared, ...FAST },
    { ...shared, ...SYSTEM },
  ],
  // No test asserts a time. Long enough for a slow machine, and for what hangs to be named by those who wait for it. Jest
  // ignores it in a project.
  testTimeout: 180_000,
  // Twice the cores that it is measured on, because a file also waits for other processes.
  maxWorkers: 4,
  // The tests of one file that run at the same time (`test.concurrent`), where each has a Corridor of its own.
  maxConcurrency: 3,
  workerIdleMemoryLimit: '2GB',
  testSequencer: '<rootDir>/test/support/slowest-first-sequencer.js',
  reporters: ['default', '<rootDir>/test/support/slowest-files-reporter.js'],
};

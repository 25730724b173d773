/** One set of servers for all tests; each file gets a database and a Temporal namespace of its own. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
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
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // No test asserts a time. Long enough for a slow machine, and for what hangs to be named by those who wait for it.
  testTimeout: 180_000,
  maxWorkers: 2,
  // Every file loads the whole service anew, and not all of the last one is given back.
  workerIdleMemoryLimit: '1GB',
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
};

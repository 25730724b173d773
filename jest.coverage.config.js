import base from './jest.config.js';

const [{ displayName, globalSetup, globalTeardown, testRunner, testPathIgnorePatterns, ...withoutServers }] =
  base.projects;

/**
 * How much of the rules their own tests reach: no servers, no database, only what is pure. Below these figures, for any
 * single file, `npm run coverage` fails.
 */
export default {
  ...withoutServers,
  testTimeout: base.testTimeout,
  // Jest's own runner, which counts the lines.
  testMatch: ['<rootDir>/test/unit/**/*.test.ts'],
  collectCoverage: true,
  // The ranking of LPs is figures for a statement: `test/db/lp-ranking.test.ts` sees what they do.
  collectCoverageFrom: [
    'src/domain/**/*.ts',
    '!src/domain/lp-ranking.ts',
    'src/operations/diagnosis/{blockers,next-move}.ts',
    'activities/{limits,recent-endpoints}.ts',
  ],
  coverageProvider: 'babel',
  coverageReporters: ['text', 'json-summary'],
  coverageDirectory: '.data/coverage',
  coverageThreshold: {
    'src/domain/**/*.ts': { lines: 95, branches: 95 },
    'src/operations/diagnosis/*.ts': { lines: 95, branches: 95 },
    'activities/*.ts': { lines: 95, branches: 95 },
  },
};

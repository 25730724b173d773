/** Values that the global setup passes to the test files, which run in other processes. */
export interface TestEnvironment {
  /** PostgreSQL's maintenance database. */
  adminUrl: string;
  /** A migrated database to copy. */
  templateName: string;
  temporalAddress: string;
  temporalBinary: string;
  /** Where the servers log. */
  serverLogs: string[];
  /** The workflow bundle, in a file. */
  bundlePath: string;
  /** The file that records the tested routes and statuses. */
  contractLog: string;
  /** The OpenAPI document, for the end of the run. */
  contractDocument: string;
}

const VARIABLE = 'CORRIDOR_TEST_ENVIRONMENT';

export const publishEnvironment = (environment: TestEnvironment): void => {
  process.env[VARIABLE] = JSON.stringify(environment);
};

export function testEnvironment(): TestEnvironment {
  const text = process.env[VARIABLE];
  if (!text) throw new Error('The servers for the tests were not started: run the tests with "npm test"');
  return JSON.parse(text);
}

/** The same in every process of a test: the API signs commands with it, and the workers verify them. */
export const COMMAND_SECRET = 'test-command-secret-of-some-length';

/** What processes inherit that run without a guard: see `test/guards/serve-mutant.ts`. */
export const MUTANT = 'CORRIDOR_GUARD_MUTANT';

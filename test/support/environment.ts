/** What the global setup hands to the test files, which run in other processes. */
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
  /** Where the routes and statuses that were seen are noted. */
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

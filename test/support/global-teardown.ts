import { existsSync, readFileSync } from 'node:fs';
import { testEnvironment } from './environment.ts';

/** Responses that no request can cause, or only an outage that stops all other routes too. */
const EXEMPT = (key: string): boolean => / 500$/.test(key);

/** Stops the servers. After a run of all tests, requires that they saw every route and status of the contract. */
export default async function globalTeardown(config: {
  testPathPatterns?: { patterns: string[] };
}): Promise<void> {
  const missing = isWholeRun(config) ? unseen() : [];
  await globalThis.closeTestBrowser?.();
  await globalThis.stopTestServers?.();
  if (missing.length > 0) {
    throw new Error(`No test has seen these responses of the OpenAPI document:\n  ${missing.join('\n  ')}`);
  }
}

const isWholeRun = (config: {
  testPathPatterns?: { patterns: string[] };
  testNamePattern?: string;
}): boolean => (config.testPathPatterns?.patterns.length ?? 0) === 0 && !config.testNamePattern;

function unseen(): string[] {
  const { contractLog, contractDocument } = testEnvironment();
  if (!existsSync(contractDocument)) return ['any: the OpenAPI document itself'];
  const seen = new Set(readFileSync(contractLog, 'utf8').split('\n'));
  const { paths } = JSON.parse(readFileSync(contractDocument, 'utf8')) as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
      ),
    )
    .filter((key) => !seen.has(key) && !EXEMPT(key));
}

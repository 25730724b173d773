import { describe, expect, test } from '@jest/globals';
import { expectedReason } from '../../storms/faults/exits.ts';

/** Which exits of a process the fault harness expects. */
const RUNNING = 'corridor: api is running\n  API          http://127.0.0.1:38017\n';

describe('an exit with code 1 is allowed by its last message', () => {
  test.each([
    [
      'PostgreSQL at 127.0.0.1:42409 cannot be used (Connection terminated unexpectedly).',
      'PostgreSQL was unavailable at the start',
    ],
    ['PostgreSQL at 127.0.0.1:45811 cannot be used (53300).', 'PostgreSQL was unavailable at the start'],
    [
      'PostgreSQL of DATABASE_READER_URL at 127.0.0.1:40901 cannot be used (Connection terminated due to connection timeout).',
      'PostgreSQL was unavailable at the start',
    ],
    ['Temporal at 127.0.0.1:7233 cannot be used (14).', 'Temporal was unavailable at the start'],
    ['The database is not up to date. Run "migrate" first.', 'the database was not up to date'],
    ['the worker has failed; ending', 'the worker had failed'],
    [
      'Port 4000 on 0.0.0.0 is taken by another program. Free it, or set PORT to another port.',
      'its port was taken',
    ],
    [
      'error: sorry, too many clients already\n    at Parser.parse (parser.js:1:1)',
      'a server became unavailable during the start',
    ],
    [
      'Error: Connection terminated unexpectedly\n    at Client.end (client.js:1:1)',
      'a server became unavailable during the start',
    ],
  ])('%s', (message, reason) => {
    const exit = {
      by: 1,
      lastOutput: `${RUNNING}corridor: ${message}\ncorridor: while stopping: it was away\n`,
    };
    expect(expectedReason(exit)).toBe(reason);
  });
});

test('a SIGKILL needs no message', () => {
  expect(expectedReason({ by: 'SIGKILL', lastOutput: RUNNING })).toBe('SIGKILL');
});

const REJECTED = `${RUNNING}node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
      ^

Error: Connection terminated unexpectedly
    at Client.end (client.js:1:1)

Node.js v24.18.1
`;

test.each([
  ['an unhandled rejection, even because of a lost server', 1, REJECTED],
  [
    'an internal error at the start',
    1,
    `corridor: TypeError: config is not iterable\n    at run (main.ts:1:1)\n`,
  ],
  ['an exit without a message', 1, ''],
  ['a normal exit', 0, RUNNING],
  ['a start that waits forever', 13, "corridor: checking Temporal's namespace faults\n"],
  ['another exit code, even with an expected message', 2, 'corridor: the worker has failed; ending\n'],
  ['a fault in native code', 'SIGSEGV', RUNNING],
  ['out of memory', 'SIGABRT', RUNNING],
])('%s is unexpected', (_, by, lastOutput) => {
  expect(expectedReason({ by, lastOutput })).toBeUndefined();
});

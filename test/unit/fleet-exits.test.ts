import { describe, expect, test } from '@jest/globals';
import { legitimateReason } from '../faults-harness/exits.ts';

/** Why the harness of faults lets a process end, and when it does not. */
const RUNNING = 'corridor: api is running\n  API          http://127.0.0.1:38017\n';

describe('an exit with code 1 is allowed by its last message', () => {
  test.each([
    [
      'PostgreSQL at 127.0.0.1:42409 cannot be used (Connection terminated unexpectedly).',
      'PostgreSQL was unavailable at the start',
    ],
    ['PostgreSQL at 127.0.0.1:45811 cannot be used (53300).', 'PostgreSQL was unavailable at the start'],
    ['Temporal at 127.0.0.1:7233 cannot be used (14).', 'Temporal was unavailable at the start'],
    ['The database is not up to date. Run "migrate" first.', 'the database was not up to date'],
    ['the worker has failed; ending', 'the worker had failed'],
    [
      'Port 4000 on 0.0.0.0 is taken by another program. Free it, or set PORT to another port.',
      'its port was taken',
    ],
    [
      'error: sorry, too many clients already\n    at Parser.parse (parser.js:1:1)',
      'a server went away during the start',
    ],
    [
      'Error: Connection terminated unexpectedly\n    at Client.end (client.js:1:1)',
      'a server went away during the start',
    ],
  ])('%s', (said, reason) => {
    const exit = { by: 1, lastWords: `${RUNNING}corridor: ${said}\ncorridor: while stopping: it was away\n` };
    expect(legitimateReason(exit)).toBe(reason);
  });
});

test('a SIGKILL needs no message', () => {
  expect(legitimateReason({ by: 'SIGKILL', lastWords: RUNNING })).toBe('SIGKILL');
});

const REJECTED = `${RUNNING}node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
      ^

Error: Connection terminated unexpectedly
    at Client.end (client.js:1:1)

Node.js v24.18.1
`;

test.each([
  ['a rejection that nobody handled, be it for the loss of a server', 1, REJECTED],
  [
    'an error of its own at the start',
    1,
    `corridor: TypeError: config is not iterable\n    at run (main.ts:1:1)\n`,
  ],
  ['an end without a word', 1, ''],
  ['an end in peace', 0, RUNNING],
  ['a start that waits for what never comes', 13, "corridor: checking Temporal's namespace faults\n"],
  ['another exit code, whatever it says', 2, 'corridor: the worker has failed; ending\n'],
  ['a fault in native code', 'SIGSEGV', RUNNING],
  ['a lack of memory', 'SIGABRT', RUNNING],
])('%s is not excused', (_, by, lastWords) => {
  expect(legitimateReason({ by, lastWords })).toBeUndefined();
});

import { expect, test } from '@jest/globals';
import { causeOf, whyUnusable } from '../../src/db/why-unusable.ts';

test.each([
  [
    '28P01',
    'password authentication failed for user "me"',
    '28P01: password authentication failed for user "me"',
  ],
  ['3D000', 'database "x" does not exist', '3D000: database "x" does not exist'],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'],
  ['EPIPE', 'write EPIPE', 'EPIPE'],
])('%s is explained in words', (code, message, expected) => {
  expect(causeOf({ code, message })).toBe(expected);
  expect(whyUnusable({ code, message }, 'postgres://me:secret@db.example:5432/x')).toBe(
    `PostgreSQL at db.example:5432 cannot be used (${expected}).`,
  );
});

test('without a code the reason is the message; missing tables ask for a migration', () => {
  expect(causeOf({ message: 'Connection terminated' })).toBe('Connection terminated');
  expect(causeOf({ code: 14, message: '14 UNAVAILABLE: no connection' })).toBe(
    '14 UNAVAILABLE: no connection',
  );
  expect(whyUnusable({ code: '42P01', message: 'x' }, 'postgres://db/x')).toMatch(/Run "migrate" first/);
});

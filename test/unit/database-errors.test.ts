import { expect, test } from '@jest/globals';
import { isDatabaseAway } from '../../src/db/errors.ts';

const withCode = (code: string) => Object.assign(new Error('refused'), { code });

test.each([
  ['08006', 'the connection failed'],
  ['25006', 'a read-only standby'],
  ['28P01', 'a password that has been changed'],
  ['28000', 'a role that may no longer log in'],
  ['40001', 'not serialisable'],
  ['40P01', 'deadlock'],
  ['53100', 'disk full'],
  ['53200', 'out of memory'],
  ['53300', 'too many connections'],
  ['57014', 'query cancelled'],
  ['57P01', 'shutting down'],
  ['57P03', 'starting'],
  ['ECONNREFUSED', 'connection refused'],
])('%s means that the database cannot serve now: %s', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(true);
  expect(isDatabaseAway(new Error('a statement failed', { cause: withCode(code) }))).toBe(true);
});

test.each([
  ['23505', 'not unique'],
  ['23514', 'a check'],
  ['25P02', 'a transaction that has failed'],
  ['40002', 'a constraint at the end of a transaction'],
  ['42P01', 'no such table'],
  ['57000', 'an unspecified intervention'],
  ['XX000', 'internal'],
])('%s does not mean that the database is unavailable: %s', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(false);
});

test.each([undefined, null, 'text', new Error('anything')])('%s is not an error of the database', (error) => {
  expect(isDatabaseAway(error)).toBe(false);
});

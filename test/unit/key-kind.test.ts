import { expect, test } from '@jest/globals';
import { keyKind, wrongKind } from '../../src/domain/key-kind.ts';

test.each([
  ['rk_live_1', 'agent'],
  ['lp_1', 'lp'],
  ['adm_live_1', 'admin'],
  ['admin_1', 'admin'],
  ['a key of ADMIN_API_KEY', undefined],
  ['', undefined],
])('the form of %p is that of %s', (key, kind) => expect(keyKind(key)).toBe(kind));

test.each([
  ['rk_live_1', 'agent', undefined],
  ['something', 'agent', undefined],
  ['adm_live_1', 'agent', 'This is an admin’s key, and an agent’s key is needed here (rk_live_…)'],
  ['lp_1', 'admin', 'This is an LP’s key, and an admin’s key is needed here (adm_live_…, or ADMIN_API_KEY)'],
] as const)('%p where a key of an %s is needed', (key, needed, text) => {
  expect(wrongKind(key, needed)).toBe(text);
});

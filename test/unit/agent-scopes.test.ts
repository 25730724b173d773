import { expect, test } from '@jest/globals';
import { hasScope, SCOPES } from '../../src/domain/agent-scopes.ts';

test.each(SCOPES)('a key without a list has the scope %s', (scope) => {
  expect([hasScope(null, scope), hasScope(undefined, scope)]).toEqual([true, true]);
});

test.each(SCOPES)('a list gives exactly its scopes: %s', (scope) => {
  const others = SCOPES.filter((other) => other !== scope);
  expect([hasScope([scope], scope), hasScope(others, scope), hasScope([], scope)]).toEqual([
    true,
    false,
    false,
  ]);
});

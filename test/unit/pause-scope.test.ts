import { expect, test } from '@jest/globals';
import { pausedText, pauseScope } from '../../src/domain/pause-scope.ts';

test.each([
  [null, null, 'everything'],
  ['KES', null, 'KES'],
  [null, 3, 'agent key 3'],
  ['KES', 3, 'agent key 3 in KES'],
])('a pause of currency %p and agent key %p is of %s', (currency, agent_key_id, words) => {
  expect(pauseScope({ currency, agent_key_id })).toBe(words);
});

test.each([
  [null, 'New payments and claims are paused: KES.'],
  ['a leak', 'New payments and claims were paused already: KES.'],
  [
    'a strike',
    'New payments and claims were paused already: KES. The reason is now “a leak” instead of “a strike”.',
  ],
])('a pause that replaces the reason %p says so', (replaced_reason, text) => {
  const pause = { currency: 'KES', agent_key_id: null, reason: 'a leak', replaced_reason };
  expect(pausedText(pause)).toBe(text);
});

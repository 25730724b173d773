import { expect, test } from '@jest/globals';
import { pauseScope } from '../../src/domain/pause-scope.ts';

test.each([
  [null, null, 'everything'],
  ['KES', null, 'KES'],
  [null, 3, 'agent key 3'],
  ['KES', 3, 'agent key 3 in KES'],
])('a pause of currency %p and agent key %p is of %s', (currency, agent_key_id, words) => {
  expect(pauseScope({ currency, agent_key_id })).toBe(words);
});

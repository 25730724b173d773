import { expect, test } from '@jest/globals';
import { frozenBefore } from '../../src/domain/frozen-before.ts';

test.each([
  ['a question', 'a question', null],
  [' a question ', 'a question', null],
  ['again', 'a question', 'The order was frozen before, and keeps its reason: a question'],
  ['again', null, 'The order was frozen before, and keeps its reason: none'],
])('a freeze because of “%s” of an order whose reason is “%s”', (sent, kept, text) => {
  expect(frozenBefore(sent, kept)).toBe(text);
});

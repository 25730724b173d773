import { expect, test } from '@jest/globals';
import { keepAlike } from '../../docs/generate/examples/keep.ts';

const kept = (committed: unknown, recorded: unknown) =>
  keepAlike({ route: committed }, { route: recorded }).route;

test.each<[string, unknown, unknown]>([
  ['other values of the same types', { id: 1, list: [{ at: 'a' }] }, { id: 2, list: [{ at: 'b' }] }],
  ['a value that was null, or is', { rate: null, name: 'a', end: 'b' }, { rate: 0.5, name: 'a', end: null }],
  ['the same fields in another order', { a: 1, b: 2 }, { b: 3, a: 4 }],
])('an example with %s stays', (_, committed, recorded) => {
  expect(kept(committed, recorded)).toBe(committed);
});

test.each<[string, unknown, unknown]>([
  ['another field', { a: 1 }, { b: 1 }],
  ['one field more', { a: 1 }, { a: 1, b: null }],
  ['one field less', { a: 1, b: null }, { a: 1 }],
  ['another type', { a: 1 }, { a: '1' }],
  ['a list in place of an object', { a: {} }, { a: [] }],
  ['more elements', [1], [1, 2]],
  ['a field more in an element', [{ a: 1 }], [{ a: 1, b: 1 }]],
])('an example with %s is replaced', (_, committed, recorded) => {
  expect(kept(committed, recorded)).toBe(recorded);
});

test('an example of a response that is gone goes, and a new one comes', () => {
  expect(keepAlike({ old: 1 }, { new: 2 })).toEqual({ new: 2 });
});

import { expect, test } from '@jest/globals';
import { createSwiftPeers } from '../../activities/swift-peers.ts';

const MINUTE_MS = 60_000;

test('who is not known yet is not taken for swift', () => {
  expect(createSwiftPeers().isSwift('a')).toBe(false);
});

test('the last answer decides, of each by itself', () => {
  const peers = createSwiftPeers();
  peers.took('a', 20);
  peers.took('b', 2_000);
  expect([peers.isSwift('a'), peers.isSwift('b')]).toEqual([true, false]);
  peers.took('a', Number.POSITIVE_INFINITY);
  peers.took('b', 0);
  expect([peers.isSwift('a'), peers.isSwift('b')]).toEqual([false, true]);
});

test('who has not been heard of for long is not known any more', () => {
  let now = 0;
  const peers = createSwiftPeers(() => now);
  peers.took('a', 20);
  now = 9 * MINUTE_MS;
  peers.took('b', 20);
  expect(peers.isSwift('a')).toBe(true);
  now = 11 * MINUTE_MS;
  expect([peers.isSwift('a'), peers.isSwift('b')]).toEqual([false, true]);
});

test('of very many the one heard of longest ago is forgotten first', () => {
  const peers = createSwiftPeers();
  peers.took('first', 1);
  peers.took('second', 1);
  peers.took('first', 1);
  for (let n = 0; n < 9_999; n++) peers.took(`peer ${n}`, 1);
  expect([peers.isSwift('second'), peers.isSwift('first'), peers.isSwift('peer 9998')]).toEqual([
    false,
    true,
    true,
  ]);
});

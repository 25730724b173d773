import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  betweenOfferAndOwner,
  cursorOf,
  type FeedPosition,
  isAfter,
  parseCursor,
} from '../../src/domain/feed-cursor.ts';

const xid = fc.oneof(fc.bigInt(0n, 30n), fc.bigInt(0n, 2n ** 64n - 1n));
const place = fc.record({ xid: xid.map(String), orderId: fc.nat(3), seq: fc.nat(3) });

test('positions are ordered by their numbers, whatever their length', () => {
  const numbers = (p: FeedPosition) => [BigInt(p.xid), BigInt(p.orderId), BigInt(p.seq)] as const;
  fc.assert(
    fc.property(place, place, (a, b) => {
      const differing = numbers(a).findIndex((n, i) => n !== numbers(b)[i]);
      const after = differing >= 0 && (numbers(a)[differing] as bigint) > (numbers(b)[differing] as bigint);
      expect(isAfter(a, b)).toBe(after);
    }),
  );
});

test('a position is read from its cursor, with or without leading zeros', () => {
  fc.assert(fc.property(place, (p) => expect(parseCursor(cursorOf(p))).toEqual(p)));
  expect(parseCursor('0007.1.2')).toEqual({ xid: '7', orderId: 1, seq: 2 });
  expect(parseCursor('18446744073709551616.1.2')).toBeUndefined();
  expect(parseCursor('12.1')).toBeUndefined();
});

test.each<[string, FeedPosition, FeedPosition]>([
  ['a longer transaction id', { xid: '10', orderId: 0, seq: 0 }, { xid: '9', orderId: 3, seq: 3 }],
  ['a higher transaction id', { xid: '12', orderId: 0, seq: 0 }, { xid: '11', orderId: 3, seq: 3 }],
  ['a higher order id', { xid: '12', orderId: 2, seq: 0 }, { xid: '12', orderId: 1, seq: 3 }],
  ['a higher number of the event', { xid: '12', orderId: 2, seq: 2 }, { xid: '12', orderId: 2, seq: 1 }],
])('a position with %s comes after', (_what, later, earlier) => {
  expect([isAfter(later, earlier), isAfter(earlier, later), isAfter(later, later)]).toEqual([
    ...[true, false, false],
  ]);
});

test('the position between the two messages of an event has its own cursor, before the event', () => {
  const event = { xid: '12', orderId: 2, seq: 2 };
  const between = betweenOfferAndOwner(event);
  expect(cursorOf(between)).toBe('12.2.1.sent');
  expect(parseCursor(cursorOf(between))).toEqual(between);
  expect(isAfter(event, between)).toBe(true);
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cursorOf, type FeedPosition, isAfter, positionFrom } from '../../src/db/queries/feed.ts';

const xid = fc.oneof(fc.bigInt(0n, 30n), fc.bigInt(0n, 2n ** 64n - 1n));
const place = fc.record({ xid: xid.map(String), orderId: fc.nat(3), seq: fc.nat(3) });

test('a place is after another as their numbers say, whatever their length', () => {
  const numbers = (p: FeedPosition) => [BigInt(p.xid), BigInt(p.orderId), BigInt(p.seq)] as const;
  fc.assert(
    fc.property(place, place, (a, b) => {
      const differing = numbers(a).findIndex((n, i) => n !== numbers(b)[i]);
      const after = differing >= 0 && (numbers(a)[differing] as bigint) > (numbers(b)[differing] as bigint);
      expect(isAfter(a, b)).toBe(after);
    }),
  );
});

test('a place is read back from its cursor, with or without leading zeros', () => {
  fc.assert(fc.property(place, (p) => expect(positionFrom(cursorOf(p))).toEqual(p)));
  expect(positionFrom('0007.1.2')).toEqual({ xid: '7', orderId: 1, seq: 2 });
  expect(positionFrom('18446744073709551616.1.2')).toBeUndefined();
});

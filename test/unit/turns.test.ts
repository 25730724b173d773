import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTurns } from '../../src/process/turns.ts';

const refuse = () => new Error('too much waits');
/** Work that ends when the test says so. */
function held() {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const work = (n: number) => () => {
    started.push(n);
    return new Promise<number>((resolve) => ends.push(() => resolve(n)));
  };
  return { started, ends, work };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('work runs a few at a time, in the order in which it came, and each ends with its own result', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.boolean(), { maxLength: 12 }),
      async (places, fails) => {
        const take = createTurns({ places, refuse });
        let running = 0;
        let most = 0;
        const order: number[] = [];
        const results = await Promise.allSettled(
          fails.map((isFailure, n) =>
            take(async () => {
              order.push(n);
              running += 1;
              most = Math.max(most, running);
              await settled();
              running -= 1;
              if (isFailure) throw new Error(`${n}`);
              return n;
            }),
          ),
        );
        expect(most).toBe(Math.min(places, fails.length));
        expect(order).toEqual(fails.map((_, n) => n));
        expect(results.map(({ status }) => status === 'rejected')).toEqual(fails);
      },
    ),
  );
});

test('work above the number that may wait is refused, and never done', async () => {
  const { started, ends, work } = held();
  const take = createTurns({ places: 1, mostWaiting: 1, refuse });
  const [first, second] = [take(work(1)), take(work(2))];
  await expect(take(work(3))).rejects.toThrow('too much waits');
  ends[0]?.();
  await first;
  await settled();
  ends[1]?.();
  await expect(second).resolves.toBe(2);
  expect(started).toEqual([1, 2]);
});

test('work that has waited for too long is refused, never done, and keeps no place', async () => {
  const { started, ends, work } = held();
  const take = createTurns({ places: 1, longestWaitMs: 10, refuse });
  const first = take(work(1));
  await expect(take(work(2))).rejects.toThrow('too much waits');
  ends[0]?.();
  await first;
  const third = take(work(3));
  ends[1]?.();
  await expect(third).resolves.toBe(3);
  expect(started).toEqual([1, 3]);
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTurnsByKey } from '../../src/process/turns.ts';

test('for any order of arrivals and ends, no key exceeds its limit and all work is done in order of arrival', async () => {
  const works = fc.array(fc.record({ key: fc.integer({ min: 1, max: 3 }), fails: fc.boolean() }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), works, fc.scheduler(), async (most, all, schedule) => {
      const queued = createTurnsByKey<number>({ places: most });
      const underWay = new Map<number, number>();
      const begun: number[] = [];
      const work = (n: number) => async () => {
        const { key, fails } = all[n] as { key: number; fails: boolean };
        const now = (underWay.get(key) ?? 0) + 1;
        expect(now).toBeLessThanOrEqual(most);
        underWay.set(key, now);
        begun.push(n);
        await schedule.schedule(Promise.resolve());
        underWay.set(key, (underWay.get(key) ?? 0) - 1);
        if (fails) throw new Error(`work ${n} fails`);
        return n;
      };
      const ends = Promise.allSettled(all.map(({ key }, n) => queued(key, work(n))));
      await schedule.waitFor(ends);
      expect(await ends).toEqual(
        all.map(({ fails }, n) =>
          fails
            ? { status: 'rejected', reason: new Error(`work ${n} fails`) }
            : { status: 'fulfilled', value: n },
        ),
      );
      for (const key of [1, 2, 3]) {
        const ofKey = begun.filter((n) => all[n]?.key === key);
        expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
      }
    }),
  );
});

test('work that arrives when nothing runs starts immediately', async () => {
  const queued = createTurnsByKey<number>({ places: 1 });
  await queued(7, async () => undefined);
  let begun = false;
  const second = queued(7, async () => {
    begun = true;
  });
  expect(begun).toBe(true);
  await second;
});

test('keys do not wait for each other', async () => {
  const queued = createTurnsByKey<number>({ places: 1 });
  const gate = Promise.withResolvers<void>();
  const held = queued(1, () => gate.promise);
  await expect(queued(2, async () => 'served')).resolves.toBe('served');
  gate.resolve();
  await held;
});

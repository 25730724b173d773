import { expect, test } from '@jest/globals';
import { batched } from '../../src/db/batched.ts';

/** Work that ends when the test ends it. `rounds` has the items of each batch. */
function heldWork() {
  const rounds: number[][] = [];
  const ends: { done: () => void; fail: (error: Error) => void }[] = [];
  const work = (items: number[]) => {
    rounds.push(items);
    return new Promise<string[]>((resolve, reject) => {
      ends.push({ done: () => resolve(items.map((item) => `result of ${item}`)), fail: reject });
    });
  };
  const begun = async (count: number) => {
    while (rounds.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { rounds, ends, work, begun };
}

test('items of one turn of the event loop share batches of the maximum size, in order', async () => {
  const { rounds, ends, work, begun } = heldWork();
  const run = batched(work, 3);
  const results = [1, 2, 3, 4].map(run);
  await begun(2);
  expect(rounds).toEqual([[1, 2, 3], [4]]);
  for (const { done } of ends) done();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4].map((n) => `result of ${n}`));
});

test('items that arrive while a batch runs share the next one, which starts when the first ends', async () => {
  const { rounds, ends, work, begun } = heldWork();
  const run = batched(work, 3);
  const first = run(1);
  await begun(1);
  const others = [run(2), run(3)];
  ends[0]?.done();
  expect(await first).toBe('result of 1');
  await begun(2);
  expect(rounds).toEqual([[1], [2, 3]]);
  ends[1]?.done();
  expect(await Promise.all(others)).toEqual(['result of 2', 'result of 3']);
});

test('a batch that hangs does not delay others', async () => {
  const { rounds, ends, work, begun } = heldWork();
  const run = batched(work, 3);
  const hanging = run(1);
  await begun(1);
  const other = run(2);
  await begun(2);
  expect(rounds).toEqual([[1], [2]]);
  ends[1]?.done();
  expect(await other).toBe('result of 2');
  ends[0]?.done();
  expect(await hanging).toBe('result of 1');
});

test('a failure rejects the items of its batch, and no others', async () => {
  const { ends, work, begun } = heldWork();
  const run = batched(work, 3);
  const failing = Promise.allSettled([run(1), run(2)]);
  await begun(1);
  const next = run(3);
  ends[0]?.fail(new Error('away'));
  expect((await failing).map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
    'away',
    'away',
  ]);
  await begun(2);
  ends[1]?.done();
  expect(await next).toBe('result of 3');
});

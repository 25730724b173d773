import { expect, test } from '@jest/globals';
import { gathered } from '../../src/db/gathered.ts';

/** Work that ends when the test says so; `rounds` has the questions of each. */
function heldWork() {
  const rounds: number[][] = [];
  const ends: { done: () => void; fail: (error: Error) => void }[] = [];
  const work = (questions: number[]) => {
    rounds.push(questions);
    return new Promise<string[]>((resolve, reject) => {
      ends.push({ done: () => resolve(questions.map((question) => `answer to ${question}`)), fail: reject });
    });
  };
  const begun = async (count: number) => {
    while (rounds.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { rounds, ends, work, begun };
}

test('those who ask in one turn are served together, in their order, and so many at a time', async () => {
  const { rounds, ends, work, begun } = heldWork();
  const ask = gathered(work, 3);
  const answers = [1, 2, 3, 4].map(ask);
  await begun(2);
  expect(rounds).toEqual([[1, 2, 3], [4]]);
  for (const { done } of ends) done();
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4].map((n) => `answer to ${n}`));
});

test('those who ask while work is under way are served by the next, at once when it is done', async () => {
  const { rounds, ends, work, begun } = heldWork();
  const ask = gathered(work, 3);
  const first = ask(1);
  await begun(1);
  const others = [ask(2), ask(3)];
  ends[0]?.done();
  expect(await first).toBe('answer to 1');
  await begun(2);
  expect(rounds).toEqual([[1], [2, 3]]);
  ends[1]?.done();
  expect(await Promise.all(others)).toEqual(['answer to 2', 'answer to 3']);
});

test('work that hangs holds nobody up', async () => {
  const { rounds, ends, work, begun } = heldWork();
  const ask = gathered(work, 3);
  const hanging = ask(1);
  await begun(1);
  const other = ask(2);
  await begun(2);
  expect(rounds).toEqual([[1], [2]]);
  ends[1]?.done();
  expect(await other).toBe('answer to 2');
  ends[0]?.done();
  expect(await hanging).toBe('answer to 1');
});

test('a failure is told to all whom it concerns, and to nobody else', async () => {
  const { ends, work, begun } = heldWork();
  const ask = gathered(work, 3);
  const failing = Promise.allSettled([ask(1), ask(2)]);
  await begun(1);
  const next = ask(3);
  ends[0]?.fail(new Error('away'));
  expect((await failing).map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
    'away',
    'away',
  ]);
  await begun(2);
  ends[1]?.done();
  expect(await next).toBe('answer to 3');
});

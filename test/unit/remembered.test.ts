import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { remembered, rememberedMeanwhile } from '../../src/process/remembered.ts';

let now = 0;
beforeEach(() => {
  now = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('work is done once for concurrent callers and for callers shortly afterwards', async () => {
  let done = 0;
  const ask = remembered(async () => {
    done += 1;
    return done;
  }, 10_000);
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  now += 9_999;
  expect(await ask()).toBe(1);
  now += 1;
  expect(await ask()).toBe(2);
});

test('the result of long work is reused for longer', async () => {
  let done = 0;
  const ask = remembered(async () => {
    now += 2_000;
    done += 1;
    return done;
  }, 10_000);
  await ask();
  now += 37_999;
  expect(await ask()).toBe(1);
  now += 1;
  expect(await ask()).toBe(2);
});

test('a failure rejects for all waiting callers, and is not remembered', async () => {
  let done = 0;
  const ask = remembered(async () => {
    done += 1;
    if (done === 1) throw new Error('unavailable');
    return done;
  }, 10_000);
  const asked = await Promise.allSettled([ask(), ask()]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ask()).toBe(2);
});

describe('work that may take longer than its callers wait', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  let begun: { end: (result: number) => void; fail: (error: Error) => void }[];
  let failures: unknown[];
  const ask = (waitMs: number) =>
    rememberedMeanwhile(
      () => new Promise<number>((resolve, reject) => void begun.push({ end: resolve, fail: reject })),
      { freshMs: 10_000, waitMs, late: (error) => void failures.push(error) },
    );
  beforeEach(() => {
    begun = [];
    failures = [];
  });

  test('is awaited while it is fast', async () => {
    const asked = ask(60_000)();
    begun[0]?.end(1);
    expect(await asked).toBe(1);
  });

  test('returns the last result, and undefined before the first', async () => {
    const impatient = ask(1);
    expect(await impatient()).toBeUndefined();
    expect(begun).toHaveLength(1);
    begun[0]?.end(1);
    await settled();
    expect(await impatient()).toBe(1);
    now += 3_600_000;
    expect(await impatient()).toBe(1);
    expect(begun).toHaveLength(2);
    begun[1]?.end(2);
    await settled();
    expect(await impatient()).toBe(2);
  });

  test('reports a failure to the waiting callers, or to its handler if there are none', async () => {
    const slow = ask(60_000);
    const asked = slow();
    begun[0]?.fail(new Error('away'));
    await expect(asked).rejects.toThrow('away');
    expect(failures).toEqual([]);

    const impatient = ask(1);
    expect(await impatient()).toBeUndefined();
    begun[1]?.fail(new Error('gone'));
    await settled();
    expect(failures).toEqual([new Error('gone')]);
  });

  test('a result from before a failure is no longer returned', async () => {
    const impatient = ask(1);
    await impatient();
    begun[0]?.end(1);
    await settled();
    now += 3_600_000;
    expect(await impatient()).toBe(1);
    begun[1]?.fail(new Error('away'));
    await settled();
    expect(await impatient()).toBeUndefined();
  });
});

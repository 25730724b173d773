import { setTimeout as delay } from 'node:timers/promises';

/** Begins pieces of work at an even pace, whether those before are done or not; resolves when all are. */
export async function atPace<Result>(
  { count, perSecond }: Pace,
  work: (n: number) => Promise<Result>,
): Promise<Result[]> {
  const began = performance.now();
  const begun: Promise<Result>[] = [];
  for (let n = 0; n < count; n++) {
    await delay(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    begun.push(work(n));
  }
  return Promise.all(begun);
}

export interface Pace {
  count: number;
  perSecond: number;
}

/** Milliseconds of a clock that all processes of this machine share. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

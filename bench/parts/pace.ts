import { setTimeout as delay } from 'node:timers/promises';

/** Starts pieces of work at an even pace, even if earlier ones are still running. Resolves when all are done. */
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

/** Milliseconds of the clock that all processes of this machine share. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

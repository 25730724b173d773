/** A result stays fresh for this many times its own duration, so that the work takes at most a twentieth of the time. */
const WORTH = 19;

/**
 * Shares one run of costly work among all callers until `freshMs` after its end, or longer if the work took long: `worth`
 * times as long as the work. It measures with a clock that nobody sets back. A failure rejects for the callers that waited for
 * it, and is not cached.
 */
export function remembered<T>(work: () => Promise<T>, freshMs: number, worth = WORTH): () => Promise<T> {
  let last: { result: Promise<T>; goodUntil: number } | undefined;
  return () => {
    if (last && performance.now() < last.goodUntil) return last.result;
    const began = performance.now();
    const entry = { result: work(), goodUntil: Number.POSITIVE_INFINITY };
    last = entry;
    entry.result.then(
      () => {
        const ended = performance.now();
        entry.goodUntil = ended + Math.max(freshMs, worth * (ended - began));
      },
      () => {
        entry.goodUntil = 0;
      },
    );
    return entry.result;
  };
}

/** How long a response to callers without a key is shared, in milliseconds: however many ask, it is computed once. */
const PUBLIC_MS = 1_000;

/** Shares one run of a read that anybody may ask for, among all who ask during it and within a second after it. */
export const onceASecond = <T>(read: () => Promise<T>): (() => Promise<T>) => remembered(read, PUBLIC_MS, 0);

/**
 * `remembered` for work that may take minutes. A caller waits at most `waitMs`, and then gets the previous result;
 * undefined before the first result and after a failure. `late` receives an error that comes after all callers have
 * stopped waiting.
 */
export function rememberedMeanwhile<T>(
  work: () => Promise<T>,
  { freshMs, waitMs, late }: { freshMs: number; waitMs: number; late: (error: unknown) => void },
): () => Promise<T | undefined> {
  let known: T | undefined;
  const ask = remembered(async () => {
    try {
      known = await work();
      return known;
    } catch (error) {
      // A stale value would hide that the source has stopped reporting, so it expires.
      known = undefined;
      throw error;
    }
  }, freshMs);
  return async () => {
    let waiting = true;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<T | undefined>((resolve) => {
      timer = setTimeout(() => {
        waiting = false;
        resolve(known);
      }, waitMs);
    });
    const asked = ask().catch((error) => {
      if (waiting) throw error;
      late(error);
      return undefined;
    });
    return Promise.race([asked, enough]).finally(() => clearTimeout(timer));
  };
}

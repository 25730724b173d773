/** A result is good for this many times as long as it took to get: then the work fills a twentieth of the time. */
const WORTH = 19;

/**
 * Work that costs something, done once for all who ask within `freshMs` of its end, or within longer where it took
 * long. Failures are told to those who waited for them, and are not kept.
 */
export function remembered<T>(work: () => Promise<T>, freshMs: number): () => Promise<T> {
  let last: { result: Promise<T>; goodUntil: number } | undefined;
  return () => {
    if (last && Date.now() < last.goodUntil) return last.result;
    const began = Date.now();
    const entry = { result: work(), goodUntil: Number.POSITIVE_INFINITY };
    last = entry;
    entry.result.then(
      () => {
        const ended = Date.now();
        entry.goodUntil = ended + Math.max(freshMs, WORTH * (ended - began));
      },
      () => {
        entry.goodUntil = 0;
      },
    );
    return entry.result;
  };
}

/**
 * The same for work that may take minutes: whoever asks waits `patienceMs` at most, and is then given what was found the
 * last time; undefined before there is such, and when it failed the last time. `late` is told why work failed that nobody
 * waited for any more.
 */
export function rememberedMeanwhile<T>(
  work: () => Promise<T>,
  { freshMs, patienceMs, late }: { freshMs: number; patienceMs: number; late: (error: unknown) => void },
): () => Promise<T | undefined> {
  let known: T | undefined;
  const ask = remembered(async () => {
    try {
      known = await work();
      return known;
    } catch (error) {
      // Told on and on, what was once would hide that nobody can say what is.
      known = undefined;
      throw error;
    }
  }, freshMs);
  return async () => {
    let patient = true;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<T | undefined>((resolve) => {
      timer = setTimeout(() => {
        patient = false;
        resolve(known);
      }, patienceMs);
    });
    const asked = ask().catch((error) => {
      if (patient) throw error;
      late(error);
      return undefined;
    });
    return Promise.race([asked, enough]).finally(() => clearTimeout(timer));
  };
}

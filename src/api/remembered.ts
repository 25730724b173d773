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

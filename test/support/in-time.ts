/** Waits for `work`. If it takes longer than `limitMs`, rejects with what `failure` returns then. */
export function inTime<T>(work: Promise<T>, limitMs: number, failure: () => string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(failure())), limitMs);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** An endpoint whose last answer took no longer than this is called inline, in the workflow task of a step. */
const FAST_MS = 150;
const FORGET_AFTER_MS = 10 * 60_000;
const MAX_ENDPOINTS = 10_000;

/**
 * Remembers which endpoints answered this process fast the last time. A workflow task waits only for these. A separate
 * activity calls a slow or unknown endpoint.
 */
export interface RecentEndpoints {
  isRecentlyFast: (name: string) => boolean;
  /** Records how long the last answer took. Infinity: there was none. */
  recordAnswer: (name: string, ms: number) => void;
}

/** `now`: milliseconds of a monotonic clock. */
export function createRecentEndpoints(now = () => performance.now()): RecentEndpoints {
  /** The time of each fast endpoint's last answer, oldest first. */
  const answeredAt = new Map<string, number>();
  return {
    isRecentlyFast: (name) => {
      const at = answeredAt.get(name);
      return at !== undefined && now() - at < FORGET_AFTER_MS;
    },
    recordAnswer: (name, ms) => {
      answeredAt.delete(name);
      if (ms > FAST_MS) return;
      answeredAt.set(name, now());
      if (answeredAt.size > MAX_ENDPOINTS) answeredAt.delete(answeredAt.keys().next().value as string);
    },
  };
}

import type { RateState } from './rate-window.ts';

/** Counts a request of a client address, in this process only. */
export type AddressLimit = (address: string) => RateState;

interface Window {
  requests: number;
  /** Milliseconds. */
  until: number;
}

/** More addresses than one minute of honest traffic has; their windows take a few megabytes. */
const MOST_ADDRESSES = 20_000;

/**
 * Allows each address `max` requests in a window, which begins with its first request. The counts are in memory, because a
 * statement for each request would cost the database more than the requests do. So each process counts by itself, and an
 * address may send twice its limit around the end of a window. If too many addresses call, the oldest windows are dropped.
 */
export function createAddressLimit(max: number, windowSeconds: number): AddressLimit {
  const windows = new Map<string, Window>();
  return (address) => {
    const now = performance.now();
    let window = windows.get(address);
    if (!window || window.until <= now) {
      windows.delete(address);
      window = { requests: 0, until: now + windowSeconds * 1_000 };
      windows.set(address, window);
      const [oldest] = windows.keys();
      if (windows.size > MOST_ADDRESSES && oldest !== undefined) windows.delete(oldest);
    }
    const within = window.requests < max;
    if (within) window.requests += 1;
    const resetSeconds = Math.max(1, Math.ceil((window.until - now) / 1_000));
    return { within, remaining: max - window.requests, resetSeconds };
  };
}

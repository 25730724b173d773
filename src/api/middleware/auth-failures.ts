import type { Database } from '../../db/orm.ts';
import { hitRateWindow, lookAtRateWindow, type RateState } from '../../db/queries/rate-window.ts';
import { DomainError } from '../../domain/errors.ts';

export const FAILURE_WINDOW_SECONDS = 60;

/** The window that counts the wrong keys of a client address. HTTP routes and sockets share it. */
export const failureWindow = (address: string) => `auth-failure:${address}`;

export const countFailure = (db: Database, address: string, max: number): Promise<RateState> =>
  hitRateWindow(db, failureWindow(address), max, FAILURE_WINDOW_SECONDS);

/** Refuses an address that has tried too many wrong keys. */
export async function requireTrustworthy(db: Database, address: string, max: number): Promise<void> {
  if (max > 0) refuseOver(await lookAtRateWindow(db, failureWindow(address), max, FAILURE_WINDOW_SECONDS));
}

/** Counts a wrong key; over the limit it is not even told that it was wrong. */
export async function noteFailure(db: Database, address: string, max: number): Promise<void> {
  if (max > 0) refuseOver(await countFailure(db, address, max));
}

function refuseOver({ within, resetSeconds }: RateState): void {
  if (!within) throw new DomainError('rate_limited', undefined, { retryAfter: resetSeconds });
}

import type { Database } from '../../db/orm.ts';
import { hitRateWindow, lookAtRateWindow, type RateState } from '../../db/queries/rate-window.ts';
import { DomainError } from '../../domain/errors.ts';

const WINDOW_SECONDS = 60;
const keyOf = (address: string) => `auth-failure:${address}`;

/** Where a client address stands with its wrong keys. HTTP routes and sockets share the count. */
export const failuresOf = (db: Database, address: string, max: number): Promise<RateState> =>
  lookAtRateWindow(db, keyOf(address), max, WINDOW_SECONDS);

export const countFailure = (db: Database, address: string, max: number): Promise<RateState> =>
  hitRateWindow(db, keyOf(address), max, WINDOW_SECONDS);

/** Refuses an address that has tried too many wrong keys. */
export async function requireTrustworthy(db: Database, address: string, max: number): Promise<void> {
  if (max > 0) refuseOver(await failuresOf(db, address, max));
}

/** Counts a wrong key; over the limit it is not even told that it was wrong. */
export async function noteFailure(db: Database, address: string, max: number): Promise<void> {
  if (max > 0) refuseOver(await countFailure(db, address, max));
}

function refuseOver({ within, resetSeconds }: RateState): void {
  if (!within) throw new DomainError('rate_limited', undefined, { retryAfter: resetSeconds });
}

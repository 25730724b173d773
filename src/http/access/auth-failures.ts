import type { Database } from '../../db/orm.ts';
import { HttpError } from '../errors.ts';
import { hitRateWindow, type RateState, readRateWindow } from './rate-window.ts';

export const FAILURE_WINDOW_SECONDS = 60;

/** The window that counts the wrong keys of a client address. HTTP routes and sockets share it. */
export const failureWindow = (address: string) => `auth-failure:${address}`;

export const countFailure = (db: Database, address: string, max: number): Promise<RateState> =>
  hitRateWindow(db, failureWindow(address), max, FAILURE_WINDOW_SECONDS);

/** Refuses an address that has tried too many wrong keys. `max` 0: no limit. */
export async function refuseBlockedAddress(db: Database, address: string, max: number): Promise<void> {
  if (max > 0) refuseOverLimit(await readRateWindow(db, failureWindow(address), max, FAILURE_WINDOW_SECONDS));
}

/** Counts a wrong key. Over the limit the refusal does not reveal that the key was wrong. */
export async function noteFailure(db: Database, address: string, max: number): Promise<void> {
  if (max > 0) refuseOverLimit(await countFailure(db, address, max));
}

/** Refuses a request that the window does not allow. */
export function refuseOverLimit({ within, resetSeconds }: RateState): void {
  if (!within) throw new HttpError('rate_limited', undefined, { retryAfter: resetSeconds });
}

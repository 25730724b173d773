import type { Context } from 'koa';
import { hitRateWindow, type RateState } from '../../access/rate-window.ts';
import type { Database } from '../../db/orm.ts';
import { HttpError } from '../../http/errors.ts';
import type { RouteLimit } from '../route-contract.ts';

/** Every limit is a number of requests in any 60 seconds, counted exactly across all API processes. */
const WINDOW_SECONDS = 60;

/** Counts a request of this caller, and refuses the request if it exceeds the limit. */
export async function countRequest(
  ctx: Context,
  db: Database,
  { name, max }: RouteLimit,
  caller: string | number,
): Promise<void> {
  if (max === 0) return;
  enforceLimit(ctx, max, await hitRateWindow(db, `${name}:${caller}`, max, WINDOW_SECONDS));
}

/**
 * Sets the `RateLimit` headers, and refuses a request that exceeds the limit. When several limits apply, the headers show
 * the one with the fewest requests left.
 */
export function enforceLimit(ctx: Context, max: number, state: RateState): void {
  const { within, remaining, resetSeconds } = state;
  const shown = ctx.response.get('ratelimit-remaining');
  if (!within || !shown || remaining < Number(shown)) {
    ctx.set({
      'RateLimit-Limit': String(max),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
    });
  }
  if (!within) throw new HttpError('rate_limited', undefined, { retryAfter: resetSeconds });
}

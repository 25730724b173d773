import type { Context } from 'koa';
import type { Database } from '../../db/orm.ts';
import { hitRateWindow, type RateState } from '../../http/access/rate-window.ts';
import { HttpError } from '../../http/errors.ts';
import type { Config } from '../../settings/config.ts';
import type { RouteLimit } from '../route-contract.ts';

/** Limits are numbers of requests in 60 seconds, unless they say otherwise. */
export const WINDOW_SECONDS = 60;

/** The limit of sign-ins to the console, for each client address: with a key, or at an identity provider. */
export const signInLimit = ({ limits }: Pick<Config, 'limits'>): RouteLimit => ({
  name: 'sign-in',
  max: limits.signIn,
});

/** Counts a request of this caller, exactly across all API processes, and refuses the request if it exceeds the limit. */
export async function countRequest(
  ctx: Context,
  db: Database,
  limit: RouteLimit,
  caller: string | number,
): Promise<void> {
  const { name, max, windowSeconds = WINDOW_SECONDS } = limit;
  if (max === 0) return;
  enforceLimit(ctx, limit, await hitRateWindow(db, `${name}:${caller}`, max, windowSeconds));
}

/**
 * Sets the `RateLimit` headers, and refuses a request that exceeds the limit. When several limits apply, the headers show
 * the one with the fewest requests left. The first two are those of the IETF's draft; the others are older and more common.
 */
export function enforceLimit(
  ctx: Context,
  { name, max, windowSeconds = WINDOW_SECONDS }: RouteLimit,
  state: RateState,
): void {
  const { within, remaining, resetSeconds } = state;
  const shown = ctx.response.get('ratelimit-remaining');
  if (!within || !shown || remaining < Number(shown)) {
    ctx.set({
      RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
      'RateLimit-Policy': `"${name}";q=${max};w=${windowSeconds}`,
      'RateLimit-Limit': String(max),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
    });
  }
  if (!within) throw new HttpError('rate_limited', undefined, { retryAfter: resetSeconds });
}

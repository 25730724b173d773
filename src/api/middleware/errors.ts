import type { Middleware } from 'koa';
import { isDatabaseAway } from '../../db/errors.ts';
import { DomainError } from '../../domain/errors.ts';
import { errorResponse } from '../error-responses.ts';

/** The one place where a failure becomes a response. What is not a refusal is logged with its stack. */
export const errors: Middleware = async (ctx, next) => {
  try {
    await next();
    if (ctx.body !== undefined) return;
    // What the router leaves: a path that nobody serves, or not with this method.
    if (ctx.status === 404) throw new DomainError('not_found');
    if (ctx.status === 405 || ctx.status === 501) throw new DomainError('method_not_allowed');
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal.code === 'internal') ctx.state.log.error({ err: error }, 'request failed');
    else if (refusal.code === 'unavailable')
      ctx.state.log.warn({ err: refusal.cause ?? error }, 'request not served');
    const { status, headers, body } = errorResponse(refusal);
    ctx.status = status;
    ctx.set(headers);
    ctx.body = body;
  }
};

/** What a caller is told of a failure: a refusal as it is, and of all else no more than whether it passes. */
export function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isDatabaseAway(error))
    return new DomainError('unavailable', undefined, { retryAfter: 2, cause: error });
  return new DomainError('internal');
}

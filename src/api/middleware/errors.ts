import type { Middleware } from 'koa';
import { isDatabaseAway } from '../../db/errors.ts';
import { DomainError } from '../../domain/errors.ts';
import { errorResponse } from '../error-responses.ts';

/** The one place where a failure becomes a response. What is not a refusal is logged with its stack. */
export const errors: Middleware = async (ctx, next) => {
  try {
    await next();
    if (ctx.status === 404 && ctx.body === undefined) throw new DomainError('not_found');
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

function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const status = (error as { status?: number } | undefined)?.status;
  // From the router, for a path that exists with other methods only.
  if (status === 405 || status === 501) return new DomainError('method_not_allowed');
  if (isDatabaseAway(error))
    return new DomainError('unavailable', undefined, { retryAfter: 2, cause: error });
  return new DomainError('internal');
}

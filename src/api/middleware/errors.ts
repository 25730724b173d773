import type { Middleware } from 'koa';
import { DomainError } from '../../domain/errors.ts';
import { errorResponse } from '../../http/error-responses.ts';
import { HttpError } from '../../http/errors.ts';
import { refusalFor } from '../../http/refusal.ts';

const NO_ROUTE = 'Not found: there is no such path. /docs lists all';

/** Turns every failure into a response; no other middleware does. Logs the stack of unexpected errors. */
export const errors: Middleware = async (ctx, next) => {
  try {
    await next();
    if (ctx.body !== undefined) return;
    // The router sets only a status for an unknown path or a method that the path does not have.
    if (ctx.status === 404) throw new DomainError('not_found', NO_ROUTE);
    if (ctx.status === 405 || ctx.status === 501) throw new HttpError('method_not_allowed');
  } catch (error) {
    const refusal = refusalFor(error);
    if (refusal.code === 'internal') ctx.state.log.error({ err: error }, 'request failed');
    else if (refusal.code === 'unavailable')
      ctx.state.log.warn({ err: refusal.cause ?? error }, 'request refused: a service is unavailable');
    const { status, headers, body } = errorResponse(refusal);
    ctx.status = status;
    ctx.set(headers);
    ctx.body = body;
  }
};

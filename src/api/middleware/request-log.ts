import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';

const ACCEPTABLE_ID = /^[\w-]{8,64}$/;

/**
 * Gives each request an id, a logger that carries it, and one line in the log. The line names the route, never the
 * path: paths hold LP keys.
 */
export const requestLog =
  (log: Logger): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    const given = ctx.get('x-request-id');
    const requestId = ACCEPTABLE_ID.test(given) ? given : randomUUID();
    ctx.set('x-request-id', requestId);
    ctx.state.log = log.child({ requestId });
    await next();
    const { method, status } = ctx;
    const ms = Math.round(performance.now() - started);
    ctx.state.log.info({ method, route: ctx.state.route ?? 'none', status, ms }, 'request');
  };

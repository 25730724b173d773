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
    let own: Logger | undefined;
    Object.defineProperty(ctx.state, 'log', {
      // Few requests have anything to say but their one line, which needs no logger of its own.
      get: () => {
        own ??= log.child({ requestId });
        return own;
      },
    });
    await next();
    const { method, status } = ctx;
    const ms = Math.round(performance.now() - started);
    log.info({ requestId, method, route: ctx.state.route ?? 'none', status, ms }, 'request');
  };

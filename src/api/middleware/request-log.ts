import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { requestIdOf } from '../../http/request-id.ts';
import type { RequestMetrics } from '../../metrics/requests.ts';

/**
 * Gives each request an id and a logger that carries the id. Writes one line to the log and counts the request in the
 * metrics. Both name the route, never the path, because paths hold LP keys.
 */
export const requestLog =
  (log: Logger, metrics: RequestMetrics): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    metrics.began();
    const requestId = requestIdOf(ctx.req);
    ctx.set('x-request-id', requestId);
    ctx.state.log = log.child({ requestId });
    await next();
    const { method, status } = ctx;
    const { route } = ctx.state;
    const took = performance.now() - started;
    log.info({ requestId, method, route: route ?? 'none', status, ms: Math.round(took) }, 'request');
    const code = status < 400 ? '' : ctx.response.get('x-error-code');
    metrics.answered({ method, route, status, code, seconds: took / 1_000 });
  };

import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { adminActor, ROOT } from '../../http/access/find-admin.ts';
import { exactAddress } from '../../http/client-address.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { RequestMetrics } from '../../http/requests.ts';

/**
 * Gives each request an id and a logger that carries the id. Writes one line to the log and counts the request in the
 * metrics. Both name the route, never the path, because paths hold LP keys. The line names the caller and the object by
 * their ids.
 */
export const requestLog =
  (log: Logger, metrics: RequestMetrics, trustProxyHops: number): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    metrics.began();
    const requestId = requestIdOf(ctx.req);
    ctx.set('x-request-id', requestId);
    ctx.state.log = log.child({ requestId });
    const address = exactAddress(ctx.req, trustProxyHops) ?? 'unknown';
    await next();
    const { method, status } = ctx;
    const { route, caller, object } = ctx.state;
    const took = performance.now() - started;
    const code = status < 400 ? '' : ctx.response.get('x-error-code');
    const outcome = { status, ...(code ? { code } : {}), ms: Math.round(took) };
    log.info({ requestId, method, route: route ?? 'none', caller, object, address, ...outcome }, 'request');
    const isRoot = caller === adminActor(ROOT);
    metrics.answered({ method, route, status, code, isRoot, seconds: took / 1_000 });
  };

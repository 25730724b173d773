import type { Middleware } from 'koa';
import type { Logger } from 'pino';

const WARNING =
  'A request has X-Forwarded-For, which TRUST_PROXY_HOPS=0 ignores. If a proxy is in front, set TRUST_PROXY_HOPS: until then all its clients share one address and its limits. Anybody can send this header, so without a proxy this means nothing.';

/** Reports once in the life of a process that a proxy may be in front although the settings name none. */
export function reportUntrustedProxy(log: Pick<Logger, 'warn'>, trustProxyHops: number): Middleware {
  let isReported = trustProxyHops > 0;
  return (ctx, next) => {
    if (!isReported && ctx.get('x-forwarded-for') !== '') {
      isReported = true;
      log.warn(WARNING);
    }
    return next();
  };
}

import type { Middleware } from 'koa';
import helmet from 'koa-helmet';

/** Pages load their own files and data images, and call their own server. No page may frame them. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** Sets the headers that every response has. */
export function securityHeaders(): Middleware {
  const setHelmetHeaders = helmet({
    contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY, useDefaults: false },
  });
  return (ctx, next) =>
    setHelmetHeaders(ctx, () => {
      // Responses hold keys, balances and recipients: no cache may keep them.
      ctx.res.setHeader('cache-control', 'no-store');
      // The CORS headers differ by the origin of the page.
      ctx.res.setHeader('Vary', 'Origin');
      return next();
    });
}

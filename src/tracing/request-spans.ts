import { METHODS } from 'node:http';
import type { Middleware } from 'koa';
import { markFailed, type Tracing } from './tracing.ts';

/**
 * A trace for each request, or the caller's own gone on with (`traceparent`). The route stands for the path, which may
 * hold an LP's key, and neither address nor key of the caller is told.
 */
export const requestSpans =
  (tracing: Tracing): Middleware =>
  (ctx, next) => {
    const method = METHODS.includes(ctx.method) ? ctx.method : '_OTHER';
    const plan = {
      name: method,
      kind: 'server',
      parent: ctx.get('traceparent'),
      attributes: {
        'http.request.method': method,
        'url.scheme': ctx.protocol,
        'network.protocol.version': ctx.req.httpVersion,
      },
    } as const;
    return tracing.span(plan, async (span) => {
      await next();
      const { status, state } = ctx;
      span.setAttributes({
        'http.response.status_code': status,
        'corridor.request_id': ctx.response.get('x-request-id'),
      });
      if (state.route) {
        span.updateName(`${method} ${state.route}`);
        span.setAttribute('http.route', state.route);
      }
      if (status >= 500) markFailed(span, ctx.response.get('x-error-code') || String(status));
    });
  };

import { METHODS } from 'node:http';
import type { Middleware } from 'koa';
import { markFailed, type Tracing } from './tracing.ts';

/**
 * Starts a trace for each request, or continues the client's own (`traceparent`). The route replaces the path, which may
 * contain an LP's key. The trace contains neither the client's address nor its key.
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

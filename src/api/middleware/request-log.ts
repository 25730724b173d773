import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestMetrics } from '../../metrics/requests.ts';

const ACCEPTABLE_ID = /^[\w-]{8,64}$/;

/** The caller's own, so that it finds its request in our log, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = String(headers['x-request-id'] ?? '');
  return ACCEPTABLE_ID.test(given) ? given : randomUUID();
}

/**
 * Gives each request an id, a logger that carries it, one line in the log, and a place in the metrics. Both name the
 * route, never the path: paths hold LP keys.
 */
export const requestLog =
  (log: Logger, metrics: RequestMetrics): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    metrics.began();
    const requestId = requestIdOf(ctx.req);
    ctx.set('x-request-id', requestId);
    ctx.state = new RequestState(log, requestId);
    await next();
    const { method, status } = ctx;
    const { route } = ctx.state;
    const took = performance.now() - started;
    log.info({ requestId, method, route: route ?? 'none', status, ms: Math.round(took) }, 'request');
    const code = status < 400 ? '' : ctx.response.get('x-error-code');
    metrics.answered({ method, route, status, code, seconds: took / 1_000 });
  };

class RequestState {
  /** The path of the route that serves it, in the router's form. */
  route: string | undefined;
  readonly #log: Logger;
  readonly #requestId: string;
  #own: Logger | undefined;

  constructor(log: Logger, requestId: string) {
    this.#log = log;
    this.#requestId = requestId;
  }

  /** Few requests have more to say than their one line: the others need no logger of their own. */
  get log(): Logger {
    this.#own ??= this.#log.child({ requestId: this.#requestId });
    return this.#own;
  }
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';

const ACCEPTABLE_ID = /^[\w-]{8,64}$/;

/** The caller's own, so that it finds its request in our log, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = String(headers['x-request-id'] ?? '');
  return ACCEPTABLE_ID.test(given) ? given : randomUUID();
}

/**
 * Gives each request an id, a logger that carries it, and one line in the log. The line names the route, never the
 * path: paths hold LP keys.
 */
export const requestLog =
  (log: Logger): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    const requestId = requestIdOf(ctx.req);
    ctx.set('x-request-id', requestId);
    ctx.state = new RequestState(log, requestId);
    await next();
    const { method, status } = ctx;
    const ms = Math.round(performance.now() - started);
    log.info({ requestId, method, route: ctx.state.route ?? 'none', status, ms }, 'request');
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

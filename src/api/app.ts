import cors from '@koa/cors';
import { Router } from '@koa/router';
import Koa, { type Context } from 'koa';
import { FAILURE_WINDOW_SECONDS } from '../http/access/auth-failures.ts';
import { createFindSession } from '../http/access/console-session.ts';
import { createFindCaller } from '../http/access/find-caller.ts';
import { requestSpans } from '../process/tracing/request-spans.ts';
import { activeTracing } from '../process/tracing/tracing.ts';
import type { ApiDeps } from './deps.ts';
import { errors } from './middleware/errors.ts';
import { requestLog } from './middleware/request-log.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { reportUntrustedProxy } from './middleware/untrusted-proxy.ts';
import { isConsole, servesConsole } from './pages/console.ts';
import { signsInAtProvider } from './pages/provider-sign-in.ts';
import { referencePages } from './pages/reference.ts';
import { createKeyTurns } from './pipeline/key-turns.ts';
import { orderParameter } from './pipeline/load-order.ts';
import { permissionOf, scopeOf } from './pipeline/permission.ts';
import { runPipeline, type Shared } from './pipeline/run.ts';
import { createStrangers } from './pipeline/strangers.ts';
import { allRoutes } from './routes.ts';

/** What pages from the allowed origins may read. */
const EXPOSED_HEADERS = [
  ...['X-Request-Id', 'X-Error-Code', 'Link', 'Retry-After', 'Idempotent-Replayed'],
  ...['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
];

/** The HTTP application. The middleware runs in the order of this function. */
export async function createApp(deps: ApiDeps): Promise<Koa> {
  const { corsOrigins } = deps.settings;
  const app = new Koa();
  // The `errors` middleware makes all responses, so Koa reports only broken sockets here.
  app.on('error', (error) => deps.log.debug({ err: error }, 'connection error'));

  const tracing = activeTracing();
  if (tracing) app.use(requestSpans(tracing));
  app.use(requestLog(deps.log, deps.metrics.requests, deps.settings.trustProxyHops));
  app.use(reportUntrustedProxy(deps.log, deps.settings.trustProxyHops));
  app.use(securityHeaders());
  app.use(errors);
  // Browsers may call from the configured origins only; agents and LPs call from servers.
  const forPages = cors({
    origin: (ctx) => (corsOrigins.includes(ctx.get('origin')) ? ctx.get('origin') : ''),
    exposeHeaders: EXPOSED_HEADERS,
  });
  app.use((ctx, next) => (ctx.get('origin') === '' ? next() : forPages(ctx, next)));

  const strangers = createStrangers(deps.settings);
  const pages = await referencePages(deps.settings);
  app.use((ctx, next) => {
    if (pages.has(ctx.path) || isConsole(ctx.path)) strangers.count(ctx);
    return next();
  });
  app.use((ctx, next) => {
    const asset = ctx.method === 'GET' ? pages.get(ctx.path) : undefined;
    if (!asset) return next();
    ctx.state.route = '/docs';
    ctx.type = asset.type;
    ctx.body = asset.content;
  });
  app.use(servesConsole());
  app.use(signsInAtProvider(deps));

  const shared: Shared = {
    findCaller: createFindCaller(deps.db, deps.settings.limits.authFailure, FAILURE_WINDOW_SECONDS),
    findSession: createFindSession(deps.db, deps.settings.session),
    strangers,
    keys: createKeyTurns(deps.settings),
  };
  const router = new Router();
  for (const route of allRoutes(deps)) {
    // Throws if a route loads an order but its path names none.
    orderParameter(route);
    // These throw for a route that lets admins or agents change something and does not say what they need.
    permissionOf(route);
    scopeOf(route);
    router[route.method](route.path, (ctx) => runPipeline(ctx as unknown as Context, route, deps, shared));
  }
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

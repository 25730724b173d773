import cors from '@koa/cors';
import { Router } from '@koa/router';
import Koa, { type Context } from 'koa';
import helmet from 'koa-helmet';
import { agentKeyRoutes } from './agent-keys.ts';
import type { ApiDeps } from './deps.ts';
import { healthRoutes } from './health.ts';
import { lpRoutes } from './lps.ts';
import { authenticate } from './middleware/authenticate.ts';
import { errors } from './middleware/errors.ts';
import { jsonBody } from './middleware/json-body.ts';
import { requestLog } from './middleware/request-log.ts';
import { orderRoutes } from './orders.ts';
import { paymentRoutes } from './payments.ts';
import type { Route } from './route.ts';
import { sandboxRoutes } from './sandbox.ts';
import { userRoutes } from './users.ts';
import { validate } from './validate.ts';

/** Every route there is. */
const allRoutes = (deps: ApiDeps): Route[] => [
  ...healthRoutes(deps),
  ...paymentRoutes(deps),
  ...agentKeyRoutes(deps),
  ...userRoutes(deps),
  ...lpRoutes(deps),
  ...orderRoutes(deps),
  ...(deps.settings.sandbox ? sandboxRoutes(deps) : []),
];

/** The HTTP application. The order of the middleware is the order of this function. */
export function createApp(deps: ApiDeps): Koa {
  const { trustProxyHops, corsOrigins } = deps.settings;
  const app = new Koa({ proxy: trustProxyHops > 0, maxIpsCount: trustProxyHops });
  // Responses are all made by the `errors` middleware; what reaches this is a socket that broke.
  app.on('error', (error) => deps.log.debug({ err: error }, 'connection error'));

  app.use(requestLog(deps.log));
  app.use(helmet());
  app.use(errors);
  // Browsers are let in from the configured origins only; agents and LPs call from servers.
  app.use(cors({ origin: (ctx) => (corsOrigins.includes(ctx.get('origin')) ? ctx.get('origin') : '') }));

  const router = new Router();
  for (const route of allRoutes(deps)) {
    router[route.method](route.path, (ctx, next) => serve(ctx as unknown as Context, next, route, deps));
  }
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

async function serve(ctx: Context, _next: Koa.Next, route: Route, deps: ApiDeps): Promise<void> {
  ctx.state.route = route.path;
  await route.limit?.(ctx.ip);
  const principal = await authenticate(ctx, route.auth, deps);
  // Only callers that were let in have their body read.
  const body = route.body ? validate(route.body, await jsonBody(ctx)) : undefined;
  const reply = await route.handle({
    principal,
    params: ctx.params,
    body,
    headers: ctx.req.headers,
    clientIp: ctx.ip,
    log: ctx.state.log,
  });
  ctx.status = reply.status;
  ctx.body = reply.body;
}

import cors from '@koa/cors';
import { Router } from '@koa/router';
import Koa, { type Context } from 'koa';
import { createInquiries, type Findings, type Inquiry } from '../db/queries/callers.ts';
import { DomainError } from '../domain/errors.ts';
import { requestSpans } from '../tracing/request-spans.ts';
import { aboutOrder, activeTracing } from '../tracing/tracing.ts';
import { adminLpRoutes } from './admin-lps.ts';
import { adminOrderVerbRoutes } from './admin-order-verbs.ts';
import { adminOrderRoutes } from './admin-orders.ts';
import { adminOverviewRoutes } from './admin-overview.ts';
import { adminWebhookRoutes } from './admin-webhooks.ts';
import { agentKeyRoutes } from './agent-keys.ts';
import { agentOrderRoutes } from './agent-orders.ts';
import { autoClaimRoutes } from './auto-claim.ts';
import { changesRoutes } from './changes.ts';
import { servesConsole } from './console.ts';
import type { ApiDeps } from './deps.ts';
import { errorResponse } from './error-responses.ts';
import { healthRoutes } from './health.ts';
import { ledgerRoutes } from './ledger.ts';
import { lpHistoryRoutes } from './lp-history.ts';
import { lpKeyRoutes } from './lp-keys.ts';
import { lpReadRoutes } from './lp-reads.ts';
import { lpRoutes } from './lps.ts';
import { metricsRoutes } from './metrics.ts';
import { FAILURE_WINDOW_SECONDS } from './middleware/auth-failures.ts';
import { errors } from './middleware/errors.ts';
import { fixedHeaders } from './middleware/fixed-headers.ts';
import { jsonBody } from './middleware/json-body.ts';
import { admit, limitClient, limitKey } from './middleware/rate-limit.ts';
import { requestLog } from './middleware/request-log.ts';
import { namedOrder } from './named-order.ts';
import { orderRoutes } from './orders.ts';
import { paymentRoutes } from './payments.ts';
import { receiptRoutes } from './receipts.ts';
import { reconciliationRoutes } from './reconciliation.ts';
import { referencePages, withDocument } from './reference.ts';
import type { FileReply, Route } from './route.ts';
import { sandboxRoutes } from './sandbox.ts';
import { streamRoutes } from './stream.ts';
import { userRoutes } from './users.ts';
import { validate } from './validate.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { withdrawalRoutes } from './withdrawals.ts';

/** Every route there is, with the one that describes them. */
export const allRoutes = (deps: ApiDeps): Route[] =>
  withDocument(
    [
      ...paymentRoutes(deps),
      ...agentOrderRoutes(deps),
      ...webhookDeliveryRoutes(deps),
      ...agentKeyRoutes(deps),
      ...userRoutes(deps),
      ...adminLpRoutes(deps),
      ...adminOrderRoutes(deps),
      ...adminOrderVerbRoutes(deps),
      ...adminWebhookRoutes(deps),
      ...adminOverviewRoutes(deps),
      ...ledgerRoutes(deps),
      ...reconciliationRoutes(deps),
      ...lpRoutes(deps),
      ...lpKeyRoutes(deps),
      ...withdrawalRoutes(deps),
      ...streamRoutes(deps),
      ...changesRoutes(deps),
      ...lpReadRoutes(deps),
      ...lpHistoryRoutes(deps),
      ...autoClaimRoutes(deps),
      ...orderRoutes(deps),
      ...receiptRoutes(deps),
      ...(deps.settings.sandbox ? sandboxRoutes(deps) : []),
      ...healthRoutes(deps),
      ...metricsRoutes(deps),
    ],
    deps.settings.publicUrl,
  );

/** The HTTP application. The order of the middleware is the order of this function. */
export async function createApp(deps: ApiDeps): Promise<Koa> {
  const { corsOrigins } = deps.settings;
  const app = new Koa();
  // Responses are all made by the `errors` middleware; what reaches this is a socket that broke.
  app.on('error', (error) => deps.log.debug({ err: error }, 'connection error'));

  const tracing = activeTracing();
  if (tracing) app.use(requestSpans(tracing));
  app.use(requestLog(deps.log, deps.metrics.requests));
  app.use(await fixedHeaders());
  app.use(errors);
  // Browsers are let in from the configured origins only; agents and LPs call from servers.
  const forPages = cors({
    origin: (ctx) => (corsOrigins.includes(ctx.get('origin')) ? ctx.get('origin') : ''),
    exposeHeaders: ['X-Request-Id', 'X-Error-Code', 'Link', 'Retry-After', 'Idempotent-Replayed'],
  });
  app.use((ctx, next) => (ctx.get('origin') === '' ? next() : forPages(ctx, next)));

  const pages = await referencePages(deps.settings);
  app.use((ctx, next) => {
    const asset = ctx.method === 'GET' ? pages.get(ctx.path) : undefined;
    if (!asset) return next();
    ctx.state.route = '/docs';
    ctx.type = asset.type;
    ctx.body = asset.content;
  });
  app.use(servesConsole());

  const inquire = createInquiries(deps.db, deps.settings.authFailureLimit, FAILURE_WINDOW_SECONDS);
  const router = new Router();
  for (const route of allRoutes(deps)) {
    router[route.method](route.path, (ctx) => serve(ctx as unknown as Context, route, deps, inquire));
  }
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

async function serve(
  ctx: Context,
  route: Route,
  deps: ApiDeps,
  inquire: (inquiry: Inquiry) => Promise<Findings>,
): Promise<void> {
  ctx.state.route = route.path;
  await limitClient(ctx, route, deps);
  const { principal, order } = await admit(ctx, route, deps, inquire);
  if (order) aboutOrder(order.id, order.traceparent);
  await limitKey(ctx, route, deps, principal);
  // Only callers that were let in have their body read.
  const body = route.body ? validate(route.body, await jsonBody(ctx)) : undefined;
  const query = route.query ? validate(route.query, ctx.query) : {};
  const reply = await route.handle({
    principal,
    order: namedOrder(route, principal, order),
    params: ctx.params,
    query,
    body,
    headers: ctx.req.headers,
    incoming: ctx.req,
    get log() {
      return ctx.state.log;
    },
  });
  ctx.status = reply.status;
  // A service that reports that it is not ready, to be read like one that refuses for that reason.
  if (reply.status === 503) ctx.set(errorResponse(new DomainError('unavailable')).headers);
  if (reply.status === route.replays) ctx.set('idempotent-replayed', 'true');
  if ('file' in reply) attach(ctx, reply.file);
  else if ('text' in reply) {
    ctx.type = reply.text.type;
    ctx.body = reply.text.content;
  } else ctx.body = reply.body;
}

function attach(ctx: Context, { content, type, size, name }: FileReply): void {
  ctx.body = content;
  ctx.type = type;
  ctx.length = size;
  ctx.set({
    'content-disposition': `attachment; filename="${name}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
}

import type { Context } from 'koa';
import { DomainError } from '../../domain/errors.ts';
import type { FindSession } from '../../http/access/console-session.ts';
import type { FindCaller } from '../../http/access/find-caller.ts';
import { errorResponse } from '../../http/error-responses.ts';
import { aboutOrder } from '../../process/tracing/tracing.ts';
import type { ApiDeps } from '../deps.ts';
import type { AnyReply, FileReply, Route } from '../route.ts';
import { audited, noteCaller } from './audited.ts';
import { type Authenticated, authenticate } from './authenticate.ts';
import { limitClient } from './client-limit.ts';
import { jsonBody } from './json-body.ts';
import { limitKey } from './key-limit.ts';
import type { KeyTurns } from './key-turns.ts';
import { requireOrder } from './load-order.ts';
import { namingMissing } from './name-missing.ts';
import { admit } from './permission.ts';
import { proposeIfNeeded } from './propose.ts';
import { presentedSession } from './session.ts';
import { isOfStranger, limitCreation, type Strangers } from './strangers.ts';
import { validate, validateBody } from './validate.ts';

/** What the requests of a process have in common: look-ups that they share, and queues in which they wait for each other. */
export interface Shared {
  findCaller: FindCaller;
  findSession: FindSession;
  strangers: Strangers;
  keys: KeyTurns;
}

/**
 * Serves one request of a route, stage by stage. Each stage throws a `DomainError` to refuse the request.
 *
 * `authenticate` loads the caller and the order in one statement. `requireOrder` refuses an unknown order only after
 * `limitKey` has counted the request, so that a key cannot try order ids without limit.
 */
export async function runPipeline(ctx: Context, route: Route, deps: ApiDeps, shared: Shared): Promise<void> {
  ctx.state.route = route.path;
  if (!route.isHealthCheck && isOfStranger(ctx, route, deps.settings)) shared.strangers.count(ctx);
  await limitClient(ctx, route, deps);
  await limitCreation(ctx, route, deps);
  await shared.keys.read(ctx, route, () => serveCaller(ctx, route, deps, shared));
}

/** Finds the caller, and serves it when it is its turn. */
async function serveCaller(
  ctx: Context,
  route: Route,
  deps: ApiDeps,
  { findCaller, findSession, strangers, keys }: Shared,
): Promise<void> {
  const presented = await presentedSession(ctx, route, deps, findSession);
  // Its cookie is no session's, or not for this request: until now it did not count as a stranger's.
  if (presented.refusal !== undefined) strangers.count(ctx);
  const caller = await authenticate(ctx, route, deps, presented, findCaller);
  const { principal } = caller;
  noteCaller(ctx, route, principal);
  let sent: Promise<unknown> | undefined;
  const readBody = () => {
    sent ??= route.body ? jsonBody(ctx) : Promise.resolve();
    return sent;
  };
  const work = () =>
    audited({ ctx, route, principal, deps }, () =>
      serve(ctx, route, deps, caller, { keys, readBody }).catch((error) => {
        throw namingMissing(error, route, ctx.state.object);
      }),
    );
  const takesConnection = !route.standsAlone && !route.isShared;
  if (principal !== null || !takesConnection) return work();
  // Before its turn, so that a stranger who sends slowly keeps no other one waiting.
  await readBody();
  return strangers.inTurn(work);
}

/** What comes after the caller is known. */
async function serve(
  ctx: Context,
  route: Route,
  deps: ApiDeps,
  caller: Authenticated,
  { keys, readBody }: { keys: KeyTurns; readBody: () => Promise<unknown> },
): Promise<void> {
  const { order, session } = caller;
  const principal = admit(route, caller.principal);
  if (order) aboutOrder(order.id, order.traceparent);
  await limitKey(ctx, route, deps, principal);
  // The service never reads the body of a refused caller.
  const sent = await readBody();
  const request = {
    principal,
    session,
    order: requireOrder(route, principal, order),
    params: ctx.params,
    query: route.query ? validate(route.query, ctx.query) : {},
    body: route.body ? validateBody(route.body, sent) : undefined,
    headers: ctx.req.headers,
    incoming: ctx.req,
    log: ctx.state.log,
  };
  const proposal = await proposeIfNeeded(route, request, { query: ctx.query, body: sent }, deps);
  respond(ctx, route, proposal ?? (await keys.command(route, principal, () => route.handle(request))));
}

function respond(ctx: Context, route: Route, reply: AnyReply): void {
  ctx.status = reply.status;
  if (reply.cookie) ctx.append('set-cookie', reply.cookie);
  // A readiness check that fails has the same headers as a refusal, such as `X-Error-Code`.
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
  if (size !== null) ctx.length = size;
  ctx.set({
    'content-disposition': `attachment; filename="${name}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
}

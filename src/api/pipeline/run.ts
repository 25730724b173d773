import type { Context } from 'koa';
import type { FindSession } from '../../http/access/console-session.ts';
import type { FindCaller } from '../../http/access/find-caller.ts';
import { aboutOrder } from '../../process/tracing/tracing.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principals, Route, RouteRequest } from '../route.ts';
import type { Auth } from '../route-contract.ts';
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
import { respond } from './respond.ts';
import { type PresentedSession, presentedSession } from './session.ts';
import { isOfStranger, limitCreation, type Strangers } from './strangers.ts';
import { validate, validateBody } from './validate.ts';

/** What the requests of a process have in common: look-ups that they share, and queues in which they wait for each other. */
export interface Shared {
  findCaller: FindCaller;
  findSession: FindSession;
  strangers: Strangers;
  keys: KeyTurns;
}

/** A request on its way through the stages. A stage reads only what an earlier one has set. */
interface Serving extends Shared {
  ctx: Context;
  route: Route;
  deps: ApiDeps;
  /** Reads the body once, for a route that has one. */
  readBody: () => Promise<unknown>;
  /** Set by `readSession`. */
  presented: PresentedSession;
  /** Set by `readCaller`. */
  caller: Authenticated;
  /** Set by `admitCaller`. */
  principal: Principals[Auth];
  /** Set by `validateRequest`, with the body as it was sent. */
  request: RouteRequest<Auth, unknown> & Parameters<Route['handle']>[0];
  sent: unknown;
}

type Stage = (serving: Serving, next: () => Promise<void>) => Promise<void>;

/** A stage that ends before the next one begins. */
const first =
  (work: (serving: Serving) => void | Promise<void>): Stage =>
  async (serving, next) => {
    await work(serving);
    return next();
  };

/** What happens to a request, in this order. Each stage throws a `DomainError` to refuse the request. */
const STAGES: readonly Stage[] = [
  first(countStranger),
  first(({ ctx, route, deps }) => limitClient(ctx, route, deps)),
  first(({ ctx, route, deps }) => limitCreation(ctx, route, deps)),
  ({ ctx, route, keys }, next) => keys.read(ctx, route, next),
  first(readSession),
  first(readCaller),
  strangersTurn,
  ({ ctx, route, deps, caller: { principal } }, next) => audited({ ctx, route, principal, deps }, next),
  nameMissing,
  first(admitCaller),
  first(({ ctx, route, deps, principal }) => limitKey(ctx, route, deps, principal)),
  // Reads the body: the service never reads that of a refused caller.
  first(validateRequest),
  propose,
  handle,
];

/** Serves one request of a route. */
export function runPipeline(ctx: Context, route: Route, deps: ApiDeps, shared: Shared): Promise<void> {
  ctx.state.route = route.path;
  let sent: Promise<unknown> | undefined;
  const readBody = () => {
    sent ??= route.body ? jsonBody(ctx) : Promise.resolve();
    return sent;
  };
  // The stages set the rest.
  const serving = { ...shared, ctx, route, deps, readBody } as Serving;
  const runFrom = async (place: number): Promise<void> => STAGES[place]?.(serving, () => runFrom(place + 1));
  return runFrom(0);
}

function countStranger({ ctx, route, deps, strangers }: Serving): void {
  if (!route.isHealthCheck && isOfStranger(ctx, route, deps.settings)) strangers.count(ctx);
}

async function readSession(serving: Serving): Promise<void> {
  const { ctx, route, deps, strangers } = serving;
  serving.presented = await presentedSession(ctx, route, deps, serving.findSession);
  // Its cookie is no session's, or not for this request: until now it did not count as a stranger's.
  if (serving.presented.refusal !== undefined) strangers.count(ctx);
}

/** Loads the caller and the order in one statement. */
async function readCaller(serving: Serving): Promise<void> {
  const { ctx, route, deps, presented } = serving;
  serving.caller = await authenticate(ctx, route, deps, presented, serving.findCaller);
  noteCaller(ctx, route, serving.caller.principal);
}

async function strangersTurn(
  { route, caller, strangers, readBody }: Serving,
  next: () => Promise<void>,
): Promise<void> {
  const takesConnection = !route.standsAlone && !route.isShared;
  if (caller.principal !== null || !takesConnection) return next();
  // Before its turn, so that a stranger who sends slowly keeps no other one waiting.
  await readBody();
  return strangers.inTurn(next);
}

async function nameMissing({ ctx, route }: Serving, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } catch (error) {
    throw namingMissing(error, route, ctx.state.object);
  }
}

function admitCaller(serving: Serving): void {
  const { route, caller } = serving;
  serving.principal = admit(route, caller.principal);
  if (caller.order) aboutOrder(caller.order.id, caller.order.traceparent);
}

/** Refuses an unknown order only now that the request is counted, so that a key cannot try order ids without limit. */
async function validateRequest(serving: Serving): Promise<void> {
  const { ctx, route, principal, caller } = serving;
  const sent = await serving.readBody();
  serving.sent = sent;
  serving.request = {
    principal,
    session: caller.session,
    order: requireOrder(route, principal, caller.order),
    params: ctx.params,
    query: route.query ? validate(route.query, ctx.query) : {},
    body: route.body ? validateBody(route.body, sent) : undefined,
    headers: ctx.req.headers,
    incoming: ctx.req,
    log: ctx.state.log,
  };
}

/** A request that needs a second admin ends here, as a proposal. */
async function propose(
  { ctx, route, request, sent, deps }: Serving,
  next: () => Promise<void>,
): Promise<void> {
  const proposal = await proposeIfNeeded(route, request, { query: ctx.query, body: sent }, deps);
  return proposal ? respond(ctx, route, proposal) : next();
}

async function handle({ ctx, route, principal, request, keys }: Serving): Promise<void> {
  respond(ctx, route, await keys.command(route, principal, () => route.handle(request)));
}

import type { Context } from 'koa';
import type { Order } from '../../db/entities/order.ts';
import { DomainError } from '../../domain/errors.ts';
import { isAllowedFrom } from '../../http/access/allowed-address.ts';
import { countFailure, failureWindow } from '../../http/access/auth-failures.ts';
import type { OpenSession } from '../../http/access/console-session.ts';
import { describeEndedKey } from '../../http/access/ended-key.ts';
import { findAdminOf, isElsewhere, type KnownAdmin } from '../../http/access/find-admin.ts';
import type { FindCaller } from '../../http/access/find-caller.ts';
import { noteKeyUse } from '../../http/access/note-key-use.ts';
import { clientAddress, exactAddress } from '../../http/client-address.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth } from '../route-contract.ts';
import { audited, noteCaller } from './audited.ts';
import { credentials } from './credentials.ts';
import { orderIdIn } from './load-order.ts';
import { agentOf } from './permission.ts';
import { enforceLimit } from './rate-limit.ts';
import type { PresentedSession } from './session.ts';

/** The caller of a request, and the order that its path names. */
export interface Authenticated {
  principal: Principals[Auth];
  /** The session of the console that identified the caller; null: a key did. */
  session: OpenSession | null;
  order: Order | null;
}

/**
 * Authenticates the caller, by a key or by a session of the console, and reads the row of the order that the path names in
 * the same statement. A session counts as the key that opened it. Counts each wrong key against the client address. Refuses
 * an address with too many wrong keys, even if its next key is valid. Concurrent guesses may cause a few more look-ups in
 * the database, but a response over the limit never shows whether the key was wrong. A request without any key does not
 * count: a page of another site can make a browser send many, and would lock the browser's user out.
 */
export async function authenticate(
  ctx: Context,
  route: Route,
  deps: ApiDeps,
  presented: PresentedSession,
  findCaller: FindCaller,
): Promise<Authenticated> {
  const { db, settings, secrets } = deps;
  const { auth } = route;
  const max = settings.limits.authFailure;
  const limit = { name: 'auth_failure', max };
  const triesKey =
    auth !== 'none' && (ctx.get('authorization') !== '' || (presented.isTried && !isOptional(auth)));
  const address = triesKey && max > 0 ? clientAddress(ctx.req, settings.trustProxyHops) : null;
  const { session } = presented;
  const { principalOf, token, ...hashes } = credentials(ctx, auth, presented);
  const found = await findCaller({
    failureWindow: address && failureWindow(address),
    orderId: orderIdIn(route, ctx.params),
    ...hashes,
  });
  if (found.blockedForSeconds !== null)
    enforceLimit(ctx, limit, { within: false, remaining: 0, resetSeconds: found.blockedForSeconds });

  const noteFailure = async () => {
    if (address !== null) enforceLimit(ctx, limit, await countFailure(db, address, max));
  };
  let principal: Principals[Auth];
  try {
    principal = principalOf({ ...found, admin: await knownAdmin() });
  } catch (error) {
    await noteFailure();
    throw session && error instanceof DomainError ? await withEndedKey(error, session) : error;
  }
  // An `any` route treats a caller with a wrong key as anonymous, but still counts the wrong key.
  if (auth === 'any' && principal === null) await noteFailure();
  const agent = agentOf(auth, principal);
  if (agent) {
    const calledFrom = exactAddress(ctx.req, settings.trustProxyHops);
    if (!isAllowedFrom(agent.allowed_ips, calledFrom)) {
      // The caller is known already, so the log names the key even if the address has too many failures.
      noteCaller(ctx, route, principal);
      await noteFailure();
      if (auth !== 'any') throw new DomainError('agent_address_refused');
      return { principal: null, session: null, order: found.order };
    }
    // The pages of the console call by themselves, so their requests do not show that somebody has the key.
    if (!session) await noteKeyUse(db, 'agent_key', agent, calledFrom);
  }
  return { principal, session, order: found.order };

  /** The refusal, which names the session's key if that has ended. */
  async function withEndedKey(refusal: DomainError, session: OpenSession): Promise<DomainError> {
    const ended = await describeEndedKey(deps, session);
    if (ended === undefined) return refusal;
    return new DomainError(refusal.code === 'session_required' ? 'key_invalid' : refusal.code, ended);
  }

  async function knownAdmin(): Promise<KnownAdmin | null> {
    if (!token && session?.kind !== 'admin') return null;
    const calledFrom = exactAddress(ctx.req, settings.trustProxyHops);
    const admin = await findAdminOf({ db, secrets }, token ?? (session as OpenSession), calledFrom);
    if (!isElsewhere(admin)) return admin;
    if (auth !== 'admin' && auth !== 'known') return null;
    // Somebody else may have the key: the log and the audit say whose it is.
    const principal = admin.refused;
    noteCaller(ctx, route, principal);
    return audited({ ctx, route, principal, deps }, async () => {
      throw new DomainError('admin_address_refused');
    });
  }
}

/** Whether a request without a key is no attempt to authenticate: a page asks who is signed in before anybody is. */
const isOptional = (auth: Auth): boolean => auth === 'any' || auth === 'known';

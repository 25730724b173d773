import type { Context } from 'koa';
import { isAllowedFrom } from '../../access/allowed-address.ts';
import { countFailure, failureWindow } from '../../access/auth-failures.ts';
import { findAdmin, type KnownAdmin, ROOT } from '../../access/find-admin.ts';
import type { CallerQuery, FindCaller, FoundCaller } from '../../access/find-caller.ts';
import { hashKey, sameSecret } from '../../access/keys.ts';
import { noteKeyUse } from '../../access/note-key-use.ts';
import type { Order } from '../../db/entities/order.ts';
import { DomainError } from '../../domain/errors.ts';
import { bearerToken } from '../../http/bearer-token.ts';
import { clientAddress, exactAddress } from '../../http/client-address.ts';
import type { Secrets } from '../../settings/secrets.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth } from '../route-contract.ts';
import { orderIdIn } from './load-order.ts';
import { agentOf } from './permission.ts';
import { enforceLimit } from './rate-limit.ts';

/**
 * Authenticates the caller, and reads the row of the order that the path names in the same statement. Counts each wrong
 * key against the client address. Refuses an address with too many wrong keys, even if its next key is valid.
 * Concurrent guesses may cause a few more look-ups in the database, but a response over the limit never shows whether
 * the key was wrong.
 */
export async function authenticate(
  ctx: Context,
  route: Route,
  { db, settings, secrets }: ApiDeps,
  findCaller: FindCaller,
): Promise<{ principal: Principals[Auth]; order: Order | null }> {
  const { auth } = route;
  const max = settings.limits.authFailure;
  const limit = { name: 'auth_failure', max };
  const triesKey = auth !== 'none' && (auth !== 'any' || ctx.get('authorization') !== '');
  const address = triesKey && max > 0 ? clientAddress(ctx.req, settings.trustProxyHops) : null;
  const { principalOf, token, ...hashes } = credentials(ctx, auth);
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
    principal = principalOf({ ...found, admin: await adminWith(token) });
  } catch (error) {
    await noteFailure();
    throw error;
  }
  // An `any` route treats a caller with a wrong key as anonymous, but still counts the wrong key.
  if (auth === 'any' && principal === null) await noteFailure();
  const agent = agentOf(auth, principal);
  if (agent) {
    const calledFrom = exactAddress(ctx.req, settings.trustProxyHops);
    if (!isAllowedFrom(agent.allowed_ips, calledFrom)) {
      await noteFailure();
      if (auth === 'agent') throw new DomainError('agent_address_refused');
      return { principal: null, order: found.order };
    }
    await noteKeyUse(db, 'agent_key', agent, calledFrom);
  }
  return { principal, order: found.order };

  async function adminWith(token: string | null): Promise<KnownAdmin | null> {
    if (!token) return null;
    if (isRootKey(token, secrets)) return ROOT;
    const admin = await findAdmin(db, token, exactAddress(ctx.req, settings.trustProxyHops));
    if (admin !== 'refused') return admin;
    if (auth === 'admin') throw new DomainError('admin_address_refused');
    return null;
  }
}

/** What to look up, and the function that turns the found rows into the principal or throws the refusal. */
interface Credentials extends Pick<CallerQuery, 'agentHash' | 'lpHash'> {
  /** The token, where it may be an admin's. */
  token: string | null;
  principalOf: (found: Pick<FoundCaller, 'agent' | 'lp'> & { admin: KnownAdmin | null }) => Principals[Auth];
}

type RootKeys = Pick<Secrets, 'adminApiKey' | 'secondAdminApiKey'>;

const isRootKey = (token: string, { adminApiKey, secondAdminApiKey }: RootKeys): boolean =>
  [adminApiKey, secondAdminApiKey].some((key) => key !== undefined && sameSecret(token, key));

const NOTHING = { agentHash: null, lpHash: null, token: null };

/** The database compares hashes, not keys: how long a lookup takes says nothing about the key itself. */
function credentials(ctx: Context, auth: Auth): Credentials {
  const token = bearerToken(ctx.get('authorization'));
  switch (auth) {
    case 'none':
      return { ...NOTHING, principalOf: () => null };
    case 'any': {
      if (!token) return { ...NOTHING, principalOf: () => null };
      const hash = hashKey(token);
      return {
        ...{ agentHash: hash, lpHash: hash, token },
        principalOf: ({ admin, agent, lp }) => {
          if (admin) return { kind: 'admin', admin };
          return agent ? { kind: 'agent', agent } : lp && { kind: 'lp', lp };
        },
      };
    }
    case 'admin':
      return {
        ...NOTHING,
        token: token ?? null,
        principalOf: ({ admin }) => {
          if (!admin) throw new DomainError('admin_key_invalid');
          return admin;
        },
      };
    case 'agent':
      return {
        ...NOTHING,
        agentHash: token === undefined ? null : hashKey(token),
        principalOf: ({ agent }) => {
          if (!agent) throw new DomainError(token ? 'agent_key_invalid' : 'agent_key_required');
          return agent;
        },
      };
    case 'lp': {
      const pathKey: string | undefined = ctx.params.lp_key;
      const isOneKey = token !== undefined && (pathKey === undefined || sameSecret(token, pathKey));
      return {
        ...NOTHING,
        lpHash: isOneKey ? hashKey(token) : null,
        principalOf: ({ lp }) => {
          if (!lp) throw new DomainError('lp_unauthorized');
          return lp;
        },
      };
    }
  }
}

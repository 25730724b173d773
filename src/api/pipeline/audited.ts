import type { Context } from 'koa';
import { type AuditContext, onBehalfOf } from '../../db/audit-context.ts';
import type { Database } from '../../db/orm.ts';
import { Refusal } from '../../domain/errors.ts';
import { adminActor } from '../../http/access/find-admin.ts';
import { exactAddress } from '../../http/client-address.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth } from '../route-contract.ts';
import { adminOf } from './permission.ts';
import { actionOf } from './propose.ts';

/** A request whose caller and object `noteCaller` has noted. */
export interface AuditedRequest {
  ctx: Context;
  route: Route;
  principal: Principals[Auth];
  deps: Pick<ApiDeps, 'db' | 'settings'>;
}

const APPEND = `select append_audit(audit_context(), '', $1, $2, null, null, null)`;

/** Appends the event of a refused attempt, on behalf of the present actor. `object`: as `objectOf` names it. */
export const recordRefusal = (db: Database, object: string, code: string): Promise<unknown> =>
  db.query('audit-refusal', APPEND, [object, code]);

/**
 * Runs a request that changes something on behalf of its caller, so that each audit event names the caller. Records also
 * what an admin was refused. The refusals of LPs and strangers are not recorded: anyone could fill the audit with them.
 */
export async function audited<T>(request: AuditedRequest, serve: () => Promise<T>): Promise<T> {
  const { ctx, principal, deps } = request;
  const context = contextOf(request);
  if (!context) return serve();
  return onBehalfOf(context, async () => {
    try {
      return await serve();
    } catch (error) {
      if (error instanceof Refusal && adminOf(principal))
        await recordRefusal(deps.db, ctx.state.object, error.code).catch((failure) =>
          ctx.state.log.error({ err: failure }, 'could not record a refused attempt'),
        );
      throw error;
    }
  });
}

/** Null for a request that changes nothing which the audit records: the order's own events record the rest. */
function contextOf({ ctx, route, principal, deps }: AuditedRequest): AuditContext | null {
  const { method, path } = route;
  if (method === 'get') return null;
  const base = {
    address: exactAddress(ctx.req, deps.settings.trustProxyHops),
    requestId: String(ctx.response.get('x-request-id')),
    action: actionOf(route),
  };
  const admin = adminOf(principal);
  const actor: string = ctx.state.caller;
  if (admin) return { actor, name: admin.name, role: admin.role, ...base };
  return path.startsWith('/api/lp/') ? { actor, ...base } : null;
}

/** Notes for the log and the audit who the caller is, and what the path names. */
export function noteCaller(ctx: Context, route: Route, principal: Principals[Auth]): void {
  ctx.state.caller = callerOf(route, principal);
  ctx.state.object = objectOf(route, ctx.params);
}

/** The caller in records, such as `agent:3`, `lp:7` or `admin:root`; `stranger` without a key. */
function callerOf({ auth }: Pick<Route, 'auth'>, principal: Principals[Auth]): string {
  const admin = adminOf(principal);
  if (admin) return adminActor(admin);
  if (typeof principal !== 'object' || principal === null) return 'stranger';
  if (!('kind' in principal)) return `${auth}:${principal.id}`;
  return principal.kind === 'agent'
    ? `agent:${principal.agent.id}`
    : `lp:${(principal as { lp: { id: number } }).lp.id}`;
}

/** What records call the things that paths name, as the audit's triggers do. */
const THINGS: Record<string, string> = {
  ...{ admins: 'admin', 'agent-keys': 'agent_key', approvals: 'approval', collateral: 'deposit', lps: 'lp' },
  ...{
    incidents: 'incident',
    orders: 'order',
    pauses: 'pause',
    sessions: 'session',
    users: 'user',
    withdrawals: 'withdrawal',
  },
  'webhook-deliveries': 'webhook_delivery',
  'bulk-runs': 'bulk_run',
};

/**
 * The object that a path names by its id, such as `lp:7`; the empty text if there is none. Never a key. Refused attempts have
 * the same object as changes, so that a search for it finds both.
 */
export function objectOf({ path }: Pick<Route, 'path'>, params: Record<string, string>): string {
  const [, noun = '', name = ''] = /\/([a-z0-9-]+)\/:(?!\w*key)(\w+)/.exec(path) ?? [];
  const thing = /^order_?id$/i.test(name) ? 'order' : THINGS[noun];
  const id = /^\d{1,16}$/.exec(params[name] ?? '')?.[0];
  return thing && id ? `${thing}:${id}` : '';
}

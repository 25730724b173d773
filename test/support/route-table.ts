import type { Call } from '../../dev/http-client.ts';
import type { AgentScope } from '../../src/domain/agent-scopes.ts';
import type { Permission } from '../../src/domain/permissions.ts';

/** The status that another owner's valid key receives. `own`: the route returns the caller's own data only. */
export type Stranger = number | 'own';

/** Who may call a route, and the status that others receive. */
export interface RouteEntry {
  kind: 'agent' | 'lp' | 'admin' | 'none' | 'any' | 'known';
  stranger: Stranger;
  /** The query of a request for another owner's resource. */
  query?: string;
}

const admin: RouteEntry = { kind: 'admin', stranger: 'own' };
const open: RouteEntry = { kind: 'none', stranger: 'own' };
const any = (stranger: Stranger): RouteEntry => ({ kind: 'any', stranger });
const lp = (stranger: Stranger): RouteEntry => ({ kind: 'lp', stranger });

const RANGE = '?from=2026-01-01&to=2026-02-01';

/** Routes whose access the prefix of their path does not show. The table is written independently of the routes' source. */
export const SPECIAL_ROUTES: Record<string, RouteEntry> = {
  'GET /api/admin/lp-addresses': { ...admin, query: '?chain=trx&address=TReceiveAddress' },
  'GET /api/admin/search': { ...admin, query: '?q=7' },
  ...Object.fromEntries(
    ['orders.csv', 'ledger.csv', 'ledger.journal', 'history.csv', 'statement.csv'].map((file) => [
      `GET /api/admin/exports/${file}`,
      { ...admin, query: `${RANGE}&lp_id=1` },
    ]),
  ),
  'GET /api/lp/{lp_key}/exports/history.csv': { ...lp(401), query: RANGE },
  'GET /api/lp/{lp_key}/exports/statement.csv': { ...lp(401), query: RANGE },
  'GET /api/v1/webhook-deliveries': { kind: 'agent', stranger: 404, query: '?order_id={orderId}' },
  'POST /api/lp/register': open,
  'GET /api/lps': open,
  'GET /api/v1/corridors': open,
  'POST /api/orders/{order_id}/claim': lp(409),
  'POST /api/orders/{order_id}/fiat-sent': lp(403),
  'POST /api/orders/{order_id}/release': lp(403),
  'POST /api/orders/{order_id}/dispute': lp(403),
  'GET /api/orders/{order_id}': any(200),
  'GET /api/receipts/{receipt_key}': any(404),
  'POST /sandbox/transactions': open,
  'GET /sandbox/orders': admin,
  'POST /sandbox/orders/{orderId}/advance': any(404),
  'GET /api/console/sign-in-methods': open,
  'GET /healthz': open,
  'GET /readyz': open,
  'GET /metrics': admin,
  'GET /openapi.json': open,
};

/** Who may call a route, such as `GET /api/v1/orders`. Throws if neither its path nor the table says so. */
export function entryOf(route: string): RouteEntry {
  const special = SPECIAL_ROUTES[route];
  if (special) return special;
  const path = String(route.split(' ')[1]);
  if (path.startsWith('/api/admin/')) return admin;
  // The key is in the path, so the bearer token of another LP is wrong.
  if (path.startsWith('/api/lp/{lp_key}/')) return lp(401);
  if (path.startsWith('/api/console/')) return { kind: 'known', stranger: 'own' };
  if (path.startsWith('/api/v1/')) return { kind: 'agent', stranger: path.includes('{') ? 404 : 'own' };
  throw new Error(`Who may call ${route}? Add it to SPECIAL_ROUTES in test/support/route-table.ts`);
}

/**
 * What a key needs for the routes of a resource, an agent's its scope and an admin's its permission; `any`: every key may call them.
 * Reading needs `read`. A row with a method is for that one route. Of several rows, the longest counts.
 */
export const NEEDED: Record<string, AgentScope | Permission | 'any'> = {
  '/api/v1/rates': 'pay',
  '/api/v1/pay': 'pay',
  '/api/v1/recipients': 'pay',
  '/api/v1/confirm': 'confirm',
  '/api/v1/settle': 'settle',
  '/api/v1/cancel': 'cancel',
  '/api/v1/dispute': 'dispute',
  '/api/v1/webhook-deliveries': 'webhooks',
  'GET /api/v1/webhook-deliveries': 'webhooks',
  'GET /api/v1/key': 'any',
  '/api/admin/admins': 'admins:manage',
  'GET /api/admin/admins': 'admins:manage',
  '/api/admin/whoami': 'read',
  '/api/admin/agent-keys': 'keys:manage',
  '/api/admin/users': 'users:create',
  '/api/admin/users/{id}/forget': 'users:forget',
  '/api/admin/pauses': 'pauses:manage',
  '/api/admin/incidents': 'pauses:manage',
  '/api/admin/lps': 'lps:manage',
  '/api/admin/bulk-runs': 'orders:operate',
  '/api/admin/orders': 'orders:operate',
  '/api/admin/orders/{id}/resolve': 'orders:resolve',
  '/api/admin/webhook-deliveries': 'webhooks:redeliver',
  '/api/admin/withdrawals': 'withdrawals:decide',
  '/api/admin/ledger': 'ledger:post',
  // The route asks for the permission of the proposed request, too.
  '/api/admin/approvals': 'read',
};

/** The row of `NEEDED` for a route, such as `POST /api/v1/pay`. Undefined: it only reads. Throws if no row is for its path. */
function rowOf(route: string): string | undefined {
  if (route in NEEDED) return route;
  if (route.startsWith('GET ')) return undefined;
  const path = `${route.split(' ')[1]}/`;
  const [row] = Object.keys(NEEDED)
    .filter((start) => path.startsWith(`${start}/`))
    .sort((one, other) => other.length - one.length);
  if (row) return row;
  throw new Error(`What does a key need for ${route}? Add it to NEEDED in test/support/route-table.ts`);
}

/** What a key needs for a route of agents or admins. */
export function neededOf(route: string): AgentScope | Permission | 'any' {
  const row = rowOf(route);
  return (row && NEEDED[row]) || 'read';
}

/** The rows for paths below `start` that are for none of these routes. */
export function unusedNeeds(routes: DocumentedRoute[], start: string): string[] {
  const used = routes.map(({ name }) => rowOf(name));
  return Object.keys(NEEDED).filter((row) => row.includes(start) && !used.includes(row));
}

export interface DocumentedRoute {
  /** Method and path, such as `GET /api/v1/status/{orderId}`. */
  name: string;
  method: string;
  path: string;
  /** The name of the kind of key that the route requires. */
  key: string | undefined;
  /** Accepts no key at all. */
  open: boolean;
  takesJson: boolean;
  /** The example of the body, which passes validation. Undefined: the body has no required field. */
  example: object | undefined;
  statuses: string[];
}

interface Operation {
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { example?: object }> };
  responses: object;
}

/** Every route of the OpenAPI document. */
export async function documentedRoutes(anyone: Call): Promise<DocumentedRoute[]> {
  const paths: Record<string, Record<string, Operation>> = (await anyone('GET', '/openapi.json')).body.paths;
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([verb, { security, requestBody, responses }]) => {
      const method = verb.toUpperCase();
      const json = requestBody?.content['application/json'];
      return {
        ...{ name: `${method} ${path}`, method, path, takesJson: json !== undefined, example: json?.example },
        ...{ key: Object.keys(security[0] ?? {})[0], open: security.length === 0 },
        statuses: Object.keys(responses),
      };
    }),
  );
}

/** The status for a caller without the right kind of key. Contract: "Authentication". */
export const REFUSED = { agent: 403, lp: 401, admin: 403 } as const;

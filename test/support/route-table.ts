/** What a valid key of the right kind is answered on something that is another's; `own`: the route knows only its own. */
export type Stranger = number | 'own';

/** Who may call a route, and what becomes of those who may not. */
export interface RouteEntry {
  kind: 'agent' | 'lp' | 'admin' | 'none' | 'any';
  stranger: Stranger;
  /** What gets past validation, where a body is asked for and the stranger must get that far. */
  body?: object;
  /** What stands behind the path. */
  query?: string;
}

const agent = (stranger: Stranger, more: Partial<RouteEntry> = {}): RouteEntry => ({
  kind: 'agent',
  stranger,
  ...more,
});
const lp = (stranger: Stranger, more: Partial<RouteEntry> = {}): RouteEntry => ({
  kind: 'lp',
  stranger,
  ...more,
});
const admin: RouteEntry = { kind: 'admin', stranger: 'own' };
const open: RouteEntry = { kind: 'none', stranger: 'own' };
const REASON = { body: { reason: 'Nothing has arrived' } };

/** Every route of the OpenAPI document. One that is new needs a line here that says who may call it. */
export const ROUTE_TABLE: Record<string, RouteEntry> = {
  'POST /api/v1/pay': agent('own'),
  'POST /api/v1/rates': agent('own'),
  'GET /api/v1/status/{orderId}': agent(404),
  'POST /api/v1/confirm/{orderId}': agent(404),
  'POST /api/v1/settle/{orderId}': agent(404, { body: { tx_hash: 'abcd' } }),
  'POST /api/v1/cancel/{orderId}': agent(404),
  'POST /api/v1/dispute/{orderId}': agent(404, REASON),
  'GET /api/v1/orders': agent('own'),
  'GET /api/v1/orders/{orderId}/timeline': agent(404),
  'GET /api/v1/webhook-deliveries': agent(404, { query: '?order_id={orderId}' }),
  'POST /api/v1/webhook-deliveries/{id}/redeliver': agent(404),
  'POST /api/lp/register': open,
  // The key is in the path: another LP's bearer is no bearer for it.
  'POST /api/lp/{lp_key}/rates': lp(401),
  'POST /api/lp/{lp_key}/rotate': lp(401),
  'POST /api/lp/{lp_key}/assets': lp(401),
  'POST /api/lp/{lp_key}/collateral/deposit': lp(401),
  'POST /api/lp/{lp_key}/collateral/{deposit_id}/confirm': lp(401),
  'POST /api/lp/{lp_key}/collateral/withdraw': lp(401),
  'GET /api/lp/{lp_key}/orders/stream': lp(401),
  'GET /api/lp/{lp_key}/orders/changes': lp(401),
  'POST /api/lp/{lp_key}/auto-claim': lp(401),
  'GET /api/lp/{lp_key}/dashboard': lp(401),
  'GET /api/lp/{lp_key}/balance': lp(401),
  'GET /api/lp/{lp_key}/history': lp(401),
  'GET /api/lp/{lp_key}/orders/{order_id}/timeline': lp(401),
  'POST /api/lp/{lp_key}/receipt': lp(401),
  'GET /api/lps': open,
  'POST /api/orders/{order_id}/claim': lp(409),
  'POST /api/orders/{order_id}/fiat-sent': lp(403),
  'POST /api/orders/{order_id}/release': lp(403),
  'POST /api/orders/{order_id}/dispute': lp(403, REASON),
  'GET /api/orders/{order_id}': { kind: 'any', stranger: 200 },
  'GET /api/receipts/{receipt_key}': { kind: 'any', stranger: 404 },
  'POST /api/admin/agent-keys': admin,
  'GET /api/admin/agent-keys': admin,
  'POST /api/admin/agent-keys/{id}': admin,
  'POST /api/admin/agent-keys/{id}/rotate': admin,
  'DELETE /api/admin/agent-keys/{id}': admin,
  'POST /api/admin/users': admin,
  'GET /api/admin/users': admin,
  'GET /api/admin/lps': admin,
  'POST /api/admin/lps/{id}/approve': admin,
  'POST /api/admin/lps/{id}/suspend': admin,
  'POST /api/admin/lps/{id}/tier': admin,
  'POST /api/admin/lps/{id}/forgive': admin,
  'POST /api/admin/lps/{id}/rotate': admin,
  'GET /api/admin/orders': admin,
  'GET /api/admin/orders/{id}': admin,
  'GET /api/admin/orders/{id}/timeline': admin,
  'POST /api/admin/orders/{id}/resolve': admin,
  'POST /api/admin/orders/{id}/cancel': admin,
  'POST /api/admin/orders/{id}/extend': admin,
  'POST /api/admin/orders/{id}/freeze': admin,
  'POST /api/admin/orders/{id}/unfreeze': admin,
  'POST /api/admin/orders/{id}/retry-verification': admin,
  'GET /api/admin/withdrawals': admin,
  'POST /api/admin/withdrawals/{id}/paid': admin,
  'POST /api/admin/withdrawals/{id}/reject': admin,
  'GET /api/admin/webhook-deliveries': admin,
  'POST /api/admin/webhook-deliveries/{id}/redeliver': admin,
  'GET /api/admin/overview': admin,
  'GET /api/admin/throughput': admin,
  'GET /api/admin/ledger': admin,
  'GET /api/admin/reconciliation': admin,
  'POST /sandbox/transactions': open,
  'GET /sandbox/orders': admin,
  'POST /sandbox/orders/{orderId}/advance': { kind: 'any', stranger: 404 },
  'GET /healthz': open,
  'GET /readyz': open,
  'GET /metrics': admin,
  'GET /openapi.json': open,
};

/** What a caller without the right kind of key is answered. Contract: "Authentication". */
export const REFUSED = { agent: 403, lp: 401, admin: 403 } as const;

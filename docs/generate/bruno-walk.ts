import type { BruRequest } from './bru.ts';

/** One call of the walk: a route of the document, and what makes it a step of this story. */
interface Step extends Partial<Pick<BruRequest, 'body' | 'captures' | 'headers' | 'asserts'>> {
  route: string;
}

const answered = (status: number, more: Record<string, string> = {}) => ({
  'res.status': `eq ${status}`,
  ...more,
});

/** An order on a sandbox from the first key to its payment; what each answer gives, the next ones use. */
export const WALK: readonly Step[] = [
  {
    route: 'POST /api/admin/users',
    body: { json: {} },
    captures: { userId: 'res.body.id' },
    asserts: answered(201),
  },
  {
    route: 'POST /api/admin/agent-keys',
    body: { json: { name: 'bruno' } },
    captures: { agentKey: 'res.body.api_key', agentKeyId: 'res.body.id' },
    asserts: answered(201),
  },
  {
    route: 'POST /api/lp/register',
    body: {
      json: {
        xrpl_address: 'rMyLedgerAccount',
        mpesa_phone: '+254700000002',
        supported_currencies: { KES: 129.5 },
      },
    },
    captures: { lpKey: 'res.body.lp_key', lpId: 'res.body.lp_id' },
    asserts: answered(201),
  },
  { route: 'POST /api/admin/lps/{id}/approve', asserts: answered(200) },
  {
    route: 'POST /api/lp/{lp_key}/assets',
    body: { json: { symbol: 'usdt', chain: 'trx', address: 'TMyReceiveAddress' } },
    asserts: answered(201),
  },
  {
    route: 'POST /api/lp/{lp_key}/collateral/deposit',
    body: { json: { amount: 500, asset: 'usdt' } },
    captures: { depositId: 'res.body.deposit_id' },
    asserts: answered(200),
  },
  { route: 'POST /api/lp/{lp_key}/collateral/{deposit_id}/confirm', asserts: answered(200) },
  {
    route: 'POST /api/v1/pay',
    headers: { 'idempotency-key': '{{$guid}}' },
    body: { json: { amount: 6475, currency: 'KES', recipient: '+254700000001', user_id: '{{userId}}' } },
    captures: { orderId: 'res.body.order_id' },
    asserts: answered(201, { 'res.body.status': 'eq matched' }),
  },
  { route: 'POST /api/orders/{order_id}/claim', asserts: answered(200, { 'res.body.status': 'eq claimed' }) },
  { route: 'POST /api/orders/{order_id}/fiat-sent', asserts: answered(200) },
  { route: 'POST /api/v1/confirm/{orderId}', asserts: answered(200) },
  {
    route: 'POST /api/v1/settle/{orderId}',
    body: { json: { tx_hash: 'sandbox-paid-{{orderId}}' } },
    asserts: answered(200),
  },
  {
    route: 'GET /api/v1/status/{orderId}',
    asserts: answered(200, { 'res.body.status': 'in crypto_verify_pending, completed' }),
  },
  { route: 'GET /api/v1/orders/{orderId}/timeline', asserts: answered(200) },
];

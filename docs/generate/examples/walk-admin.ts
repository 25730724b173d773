import { type Call, expectStatus } from '../../../dev/http-client.ts';
import type { OrderPage } from '../../../src/api/resources/admin-orders/schemas.ts';
import { type Actors, waitUntil } from './actors.ts';

/** The reads of admins, and the suspension of an LP. */
export async function walkAdminRoutes({ admin, otherLp }: Actors): Promise<void> {
  const reason = 'The mobile-money network is down';
  const { id } = (await admin.call('POST', '/api/admin/pauses', { currency: 'NGN', reason })).body;
  const { id: incident } = (
    await admin.call('POST', '/api/admin/incidents', { chain: 'eth', reason: 'Its node is away' })
  ).body;
  for (const path of [
    '/api/admin/orders?limit=2',
    '/api/admin/incidents',
    '/api/admin/pauses',
    '/api/admin/search?q=1',
    '/api/admin/overview',
    '/api/admin/throughput?hours=1',
    '/api/admin/ledger',
    '/api/admin/reconciliation',
    '/api/admin/users',
    '/api/admin/lps',
    '/api/admin/agent-keys',
  ])
    await admin.call('GET', path);
  const payer = (await admin.call('POST', '/api/admin/users', { name: 'A payer' })).body;
  await admin.call('POST', `/api/admin/users/${payer.id}/forget`, {});
  await admin.call('DELETE', `/api/admin/pauses/${id}`);
  await admin.call('POST', `/api/admin/incidents/${incident}/close`, {});
  await admin.call('POST', `/api/admin/lps/${otherLp.id}/suspend`);
  const { address } = otherLp;
  await admin.call('GET', `/api/admin/lp-addresses?chain=trx&address=${address}`);
  const taken = { chain: 'trx', address, reason: 'Its owner has shown a signature' };
  await admin.call('POST', `/api/admin/lps/${otherLp.id}/addresses/release`, taken);
}

/** A command on many orders: its dry run, its start and its end. */
export async function walkBulkRuns({ admin, agent }: Actors): Promise<void> {
  const bulk = '/api/admin/bulk-runs';
  const payment = { amount: 1_295, currency: 'KES', recipient: '+254700123456', user_id: agent.userId };
  for (const amount of [1_295, 2_590]) await agent.look('POST', '/api/v1/pay', { ...payment, amount });
  const areClaimed = ({ orders }: OrderPage) => orders.every(({ status }) => status === 'claimed');
  await waitUntil(admin.look, '/api/admin/orders?limit=2', areClaimed);
  const request = {
    action: 'freeze',
    where: 'status=claimed currency=KES',
    reason: 'The mobile network is down',
  };
  const { id } = (await admin.call('POST', bulk, request)).body;
  await admin.call('POST', `${bulk}/${id}/start`);
  await waitUntil(admin.look, `${bulk}/${id}`, ({ state }: { state: string }) => state === 'finished');
  await admin.call('POST', `${bulk}/${id}/stop`);
  await admin.call('GET', `${bulk}/${id}`);
  await admin.call('GET', `${bulk}?limit=1`);
}

/** How owners give persons their access, and what the audit then has of it. */
export async function walkAdmins({ admin, anyone }: Actors): Promise<void> {
  await admin.call('GET', '/api/admin/whoami');
  const person = { name: 'Night shift', role: 'support', allowed_ips: ['192.0.2.0/24'] };
  const { id } = (await admin.call('POST', '/api/admin/admins', person)).body;
  await admin.call('POST', `/api/admin/admins/${id}`, { role: 'risk' });
  const { api_key } = (await admin.call('POST', `/api/admin/admins/${id}/rotate`, { overlap: '1h' })).body;
  // The key is accepted from elsewhere only.
  await admin.call('POST', `/api/admin/admins/${id}`, { allowed_ips: null });
  const own = { authorization: `Bearer ${api_key}` };
  await anyone('POST', '/api/admin/whoami/rotate', { overlap: '1h' }, own);
  await admin.call('GET', '/api/admin/admins');
  await admin.call('DELETE', `/api/admin/admins/${id}`);
  await admin.call('GET', '/api/admin/audit?limit=2');
}

/** How a person signs in to the console, and out again. */
export async function walkConsole({ lp, admin, anyone }: Actors): Promise<void> {
  await anyone('GET', '/api/console/sign-in-methods');
  const { headers, body } = await lp.call('POST', '/api/console/session');
  const [cookie = ''] = String(headers.get('set-cookie')).split(';');
  const session = { cookie, 'x-csrf-token': body.csrf_token };
  await anyone('GET', '/api/console/session', undefined, session);
  await lp.call('POST', '/api/console/session');
  const { sessions } = (await anyone('GET', '/api/console/sessions', undefined, session)).body;
  const other = sessions.find((one: { is_current: boolean }) => !one.is_current);
  await anyone('DELETE', `/api/console/sessions/${other.id}`, undefined, session);
  await anyone('DELETE', '/api/console/session', undefined, session);
  await admin.call('DELETE', '/api/console/sessions');
}

/** How one admin proposes, and another one decides. For an installation with APPROVALS=on. */
export async function walkApprovals({
  admin,
  as,
}: {
  admin: Call;
  as: (key: string) => Call;
}): Promise<void> {
  const owner = { name: 'Owner', role: 'owner' };
  const { id, api_key } = (await expectStatus(201, admin('POST', '/api/admin/admins', owner))) as {
    id: number;
    api_key: string;
  };
  const approver = as(api_key);
  const proposed = async (path: string, body: object, headers = {}): Promise<number> =>
    (await expectStatus(202, admin('POST', path, body, headers))).approval.id;
  const adjustment = {
    debit: 'outside',
    credit: 'platform:fees',
    amount: 1.5,
    reason: 'A fee that was paid by bank',
  };
  const under = (key: string) => ({ 'idempotency-key': key });
  const first = await proposed('/api/admin/ledger/adjustments', adjustment, under('adjustment-1'));
  await expectStatus(200, approver('POST', `/api/admin/approvals/${first}/approve`));
  const payout = { amount: 1, reason: 'Fees of January' };
  const second = await proposed('/api/admin/ledger/payouts', payout, under('payout-1'));
  await expectStatus(200, approver('POST', `/api/admin/approvals/${second}/reject`));
  await expectStatus(200, admin('GET', '/api/admin/approvals'));
  await expectStatus(202, approver('POST', `/api/admin/admins/${id}`, { role: 'viewer' }));
}

/** The postings of admins: fees taken out, compensation of a payer, and a returned fee. */
export async function walkPostings({ admin, lp }: Actors): Promise<void> {
  const post = async (path: string, body: object, key: string) =>
    admin.call('POST', `/api/admin/ledger/${path}`, body, { 'idempotency-key': key });
  const { orders } = (await admin.look('GET', '/api/admin/orders?limit=1')).body;
  const harmed = { order_id: orders[0].id, reason: 'The payer paid, and got nothing' };
  const account = `lp:${lp.id}:available`;
  const payout = { amount: 0.05, reason: 'Fees of January', reference: 'bank 2026-01-31/7' };
  const returned = { debit: 'platform:fees', credit: account, amount: 0.05, reason: 'A fee taken in error' };
  const slashed = {
    debit: account,
    credit: 'platform:slashed',
    amount: 1.5,
    reason: 'A slash that was missed',
  };
  for (const again of [false, true]) {
    await post('payouts', payout, 'payout-1');
    await post('adjustments', returned, 'adjustment-1');
    if (!again) await post('adjustments', slashed, 'adjustment-2');
    await post('compensations', { amount: 1.5, ...harmed }, 'compensation-1');
  }
  await admin.call('GET', '/api/admin/ledger/postings');
  await admin.call('GET', '/api/admin/ledger/accounts');
}

/** Limits, rotations and the end of keys. Nothing can be called with the old keys afterwards. */
export async function walkKeyRoutes({ admin, agent, lp }: Actors): Promise<void> {
  const key = `/api/admin/agent-keys/${agent.keyId}`;
  await admin.call('POST', key, { rate_limit: 600, max_exposure_usd: 10_000 });
  await admin.call('POST', `${key}/rotate`, { overlap: '24h' });
  await admin.call('POST', `${key}/rotate-webhook-secret`, { overlap: '24h' });
  await admin.call('DELETE', key);
  await lp.call('POST', `${lp.own}/rotate`, {});
  await admin.call('POST', `/api/admin/lps/${lp.id}/rotate`, {});
}

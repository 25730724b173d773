import { type Actors, type Party, partyOf, type Walk, type WalkLp } from './actors.ts';

/** Registers an approved LP with a rate, an address and 1,000 USD of collateral. */
export async function registerLp(
  walk: Walk,
  admin: Party,
  { name, rate }: { name: string; rate: number },
): Promise<WalkLp> {
  const { body } = await walk.caller()('POST', '/api/lp/register', {
    xrpl_address: 'rExampleLiquidityProvider111111111',
    mpesa_phone: '+254700000002',
    display_name: name,
    supported_currencies: { KES: rate },
    spread_bps: 40,
  });
  const id: number = body.lp_id;
  const own = `/api/lp/${body.lp_key}`;
  const address = `TExampleReceiveAddress${id}`;
  const lp = partyOf(walk, body.lp_key);
  await admin.call('POST', `/api/admin/lps/${id}/approve`);
  await admin.call('POST', `/api/admin/lps/${id}/tier`, { tier: 1 });
  await lp.call('POST', `${own}/rates`, { currency: 'KES', rate_usd: rate });
  await lp.call('POST', `${own}/assets`, { symbol: 'usdt', chain: 'trx', address });
  const deposit = await lp.call('POST', `${own}/collateral/deposit`, { amount: 1_000, asset: 'usdt' });
  await lp.call('POST', `${own}/collateral/${deposit.body.deposit_id}/confirm`, {
    tx_hash: `sandbox-paid-deposit-${deposit.body.deposit_id}`,
  });
  return { ...lp, id, own, address };
}

/** Two withdrawals: an admin pays one and rejects the other. */
export async function walkCollateral({ admin, lp }: Actors): Promise<void> {
  const path = `${lp.own}/collateral/withdraw`;
  const terms = { amount: 100, address: 'TExampleWithdrawalAddress' };
  const key = { 'idempotency-key': 'withdrawal-1' };
  const paid = await lp.call('POST', path, terms, key);
  await lp.call('POST', path, terms, key);
  const rejected = await lp.call(
    'POST',
    path,
    { ...terms, amount: 50 },
    { 'idempotency-key': 'withdrawal-2' },
  );
  await admin.call('GET', '/api/admin/withdrawals');
  await admin.call('POST', `/api/admin/withdrawals/${paid.body.id}/paid`, { tx_hash: 'a1'.repeat(32) });
  await admin.call('POST', `/api/admin/withdrawals/${rejected.body.id}/reject`, {
    reason: 'The address is not on this chain',
  });
  await lp.call('GET', `${lp.own}/balance`);
}

export async function walkLpReads({ anyone, lp }: Actors): Promise<void> {
  await lp.call('GET', `${lp.own}/dashboard`);
  await lp.call('GET', `${lp.own}/history?days=3`);
  await lp.call('GET', `${lp.own}/orders?limit=2`);
  await lp.call('POST', `${lp.own}/auto-claim`, { enabled: true, max_amount_usd: 100, currencies: ['KES'] });
  await lp.call('POST', `${lp.own}/webhook`, {
    url: 'https://lp.example/corridor',
    events: ['order.open', 'order.updated'],
  });
  await lp.call('GET', `${lp.own}/webhook`);
  await lp.call('DELETE', `${lp.own}/webhook`);
  await lp.call('POST', `${lp.own}/terms`, {
    ...{ currency: 'KES', method: 'bank_transfer', rate_usd: 129.75, valid_for: 3_600 },
    ...{ min: 1_000, max: 50_000, float: 250_000, float_low: 50_000 },
  });
  await lp.call('GET', `${lp.own}/terms`);
  await anyone('GET', '/api/lps');
}

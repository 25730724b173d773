import { TEST_RECIPIENTS } from '../../../src/domain/sandbox-values.ts';
import { type Actors, type WalkAgent, type WalkLp, waitUntil } from './actors.ts';

/** One line of PNG is enough for the service to recognise the type. */
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const PAYOUT = { amount: 6_475, currency: 'KES' };

/** An order from its rate lock to its completion. Every party that may read it reads it. */
export async function walkCompletedOrder({ admin, anyone, agent, lp }: Actors): Promise<void> {
  const before = await lp.look('GET', `${lp.own}/orders/changes`);
  await anyone('GET', '/api/v1/corridors');
  const { recipient, recipient_name: name } = payment(agent);
  const toCheck = { currency: PAYOUT.currency, recipient, name };
  const check = await agent.call('POST', '/api/v1/recipients/verify', toCheck);
  const lock = await agent.call('POST', '/api/v1/rates', PAYOUT);
  const terms = {
    ...payment(agent),
    rate_lock_id: lock.body.rate_lock_id,
    recipient_check_id: check.body.recipient_check_id,
  };
  const key = { 'idempotency-key': 'invoice-1' };
  const { body } = await agent.call('POST', '/api/v1/pay', terms, key);
  await agent.call('POST', '/api/v1/pay', terms, key);
  const id: number = body.order_id;
  await lp.call('GET', `${lp.own}/orders/stream`);
  await lp.call('GET', `${lp.own}/orders/changes?cursor=${before.body.cursor}`);
  await lp.call('POST', `/api/orders/${id}/claim`, {});
  await lp.call('POST', `/api/orders/${id}/fiat-sent`, {});
  const form = new FormData();
  form.append('order_id', String(id));
  form.append('file', new Blob([PNG]), 'receipt.png');
  await lp.call('POST', `${lp.own}/receipt`, form);
  await agent.call('POST', `/api/v1/confirm/${id}`, {});
  const { amount, symbol, chain } = body.crypto_required;
  const transfer = { chain, symbol, to: lp.address, amount };
  const { body: paid } = await anyone('POST', '/sandbox/transactions', transfer);
  await agent.call('POST', `/api/v1/settle/${id}`, { tx_hash: paid.tx_hash });

  await waitUntil(agent.look, `/api/v1/status/${id}`, isCompleted);
  const deliveries = `/api/v1/webhook-deliveries?order_id=${id}`;
  await waitUntil(
    agent.look,
    deliveries,
    (list: { deliveries: { state: string }[] }) =>
      list.deliveries.length === 5 && list.deliveries.every(({ state }) => state === 'delivered'),
  );
  await agent.call('GET', `/api/v1/status/${id}`);
  await agent.call('GET', '/api/v1/orders');
  await agent.call('GET', '/api/v1/key');
  await agent.call('GET', `/api/orders/${id}`);
  await agent.call('GET', `/api/v1/orders/${id}/timeline`);
  await lp.call('GET', `${lp.own}/orders/${id}/timeline`);
  await admin.call('GET', `/api/admin/orders/${id}`);
  await admin.call('GET', `/api/admin/orders/${id}/timeline`);
  const sent = await agent.call('GET', deliveries);
  await admin.call('GET', '/api/admin/webhook-deliveries?limit=2');
  const [first, second]: { id: number }[] = sent.body.deliveries;
  await agent.call('POST', `/api/v1/webhook-deliveries/${first?.id}/redeliver`, {});
  await admin.call('POST', `/api/admin/webhook-deliveries/${second?.id}/redeliver`, {});
}

/** Orders that end without a payout: released, expired, cancelled by the agent and by an admin. */
export async function walkCancelledOrders({ admin, agent, lp, otherLp }: Actors): Promise<void> {
  const released = await newOrder(agent, { recipient: Object.keys(TEST_RECIPIENTS)[0] });
  await admin.call('GET', '/sandbox/orders');
  await lp.call('POST', `/api/orders/${released}/claim`, {});
  await lp.call('POST', `/api/orders/${released}/release`, { reason: 'The bank is closed today' });
  await agent.call('POST', `/api/v1/cancel/${released}`, { reason: 'The payer has changed their mind' });

  // The deadline of a claimed order passes, so the LP gets a strike.
  const failed = await newOrder(agent);
  await otherLp.call('POST', `/api/orders/${failed}/claim`, {});
  await agent.call('POST', `/sandbox/orders/${failed}/advance`, { status: 'claimed' });
  await admin.call('POST', `/api/admin/lps/${otherLp.id}/forgive`, {
    reason: 'The bank of the LP was closed',
  });

  const stopped = `/api/admin/orders/${failed}`;
  const reason = 'The operator looks into the order';
  await admin.call('POST', `${stopped}/freeze`, { reason });
  await admin.call('POST', `${stopped}/unfreeze`, { reason });
  const until = new Date(Date.now() + 7_200_000).toISOString();
  await admin.call('POST', `${stopped}/extend`, { until, reason });
  await admin.call('POST', `${stopped}/cancel`, { reason });
}

/** One dispute by each party, and a verification that needs another transaction. */
export async function walkDisputes({ admin, anyone, agent, lp }: Actors): Promise<void> {
  const byAgent = await fiatSentOrder(agent, lp);
  await agent.call('POST', `/api/v1/dispute/${byAgent}`, { reason: 'Nothing has arrived' });
  await admin.call('POST', `/api/admin/orders/${byAgent}/resolve`, {
    outcome: 'cancelled',
    slash_usd: 5,
    reason: 'The fiat was never sent',
  });
  const byLp = await fiatSentOrder(agent, lp);
  await lp.call('POST', `/api/orders/${byLp}/dispute`, { reason: 'The agent does not confirm' });

  const unpaid = await fiatSentOrder(agent, lp);
  await agent.call('POST', `/api/v1/confirm/${unpaid}`, {});
  const { body: owed } = await agent.look('GET', `/api/v1/status/${unpaid}`);
  const transfer = { chain: 'trx', symbol: 'usdt', to: lp.address, amount: owed.crypto_amount };
  const slow = await anyone('POST', '/sandbox/transactions', { ...transfer, final_after_ms: 86_400_000 });
  await agent.call('POST', `/api/v1/settle/${unpaid}`, { tx_hash: slow.body.tx_hash });
  const quick = await anyone('POST', '/sandbox/transactions', transfer);
  await admin.call('POST', `/api/admin/orders/${unpaid}/retry-verification`, {
    tx_hash: quick.body.tx_hash,
    reason: 'The first transaction will not be final in time',
  });
  await waitUntil(agent.look, `/api/v1/status/${unpaid}`, isCompleted);
  // Leaves an open order for the lists that follow.
  await newOrder(agent);
}

const isCompleted = ({ status }: { status: string }): boolean => status === 'completed';

const payment = ({ userId, callbackUrl }: WalkAgent) => ({
  ...PAYOUT,
  recipient: '+254700000001',
  recipient_name: 'Jane Wanjiku',
  user_id: userId,
  callback_url: callbackUrl,
});

async function newOrder(agent: WalkAgent, changes: object = {}): Promise<number> {
  const { body } = await agent.call('POST', '/api/v1/pay', { ...payment(agent), ...changes });
  return body.order_id;
}

async function fiatSentOrder(agent: WalkAgent, lp: WalkLp): Promise<number> {
  const id = await newOrder(agent);
  await lp.call('POST', `/api/orders/${id}/claim`, {});
  await lp.call('POST', `/api/orders/${id}/fiat-sent`, {});
  return id;
}

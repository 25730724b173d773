import { randomBytes } from 'node:crypto';
import { caller, expectStatus } from './http.ts';
import type { Stage } from './stage.ts';

/** An order from the payment to `completed`, with two LPs that race for it. */
export async function completedStory({
  baseUrl,
  adminKey,
  receiver,
  tell,
  workflowUrl,
}: Stage): Promise<void> {
  const admin = caller(baseUrl, adminKey);
  const anyone = caller(baseUrl);

  tell('The admin makes a user and an agent key.');
  const user = await expectStatus(201, admin('POST', '/api/admin/users', { name: 'Demo payer' }));
  const key = await expectStatus(201, admin('POST', '/api/admin/agent-keys', { name: 'demo' }));
  const agent = caller(baseUrl, key.api_key);
  tell(`  user ${user.id}, agent key ${key.id}`);

  tell('Two liquidity providers register, say where they take USDT, and deposit collateral.');
  const lps = await Promise.all([
    registerLp('Savanna Liquidity', 129.5),
    registerLp('Rift Valley FX', 129.1),
  ]);

  tell('The agent pays 6475 KES to a mobile-money number, paid for in USDT.');
  const payment = await expectStatus(
    201,
    agent(
      'POST',
      '/api/v1/pay',
      {
        amount: 6475,
        currency: 'KES',
        recipient: '+254700000001',
        recipient_name: 'Demo recipient',
        user_id: user.id,
        callback_url: receiver.url,
      },
      { 'idempotency-key': randomBytes(8).toString('hex') },
    ),
  );
  const { order_id, crypto_required, rate } = payment;
  tell(`  order ${order_id} is matched: ${crypto_required.amount} ${crypto_required.symbol} at ${rate}`);
  tell(`  in the Temporal UI: ${workflowUrl(order_id)}`);

  tell('Both LPs claim it at the same moment.');
  const claims = await Promise.all(
    lps.map(async (lp) => ({ lp, answer: await lp.call('POST', `/api/orders/${order_id}/claim`, {}) })),
  );
  for (const { lp, answer } of claims) tell(`  ${lp.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const won = claims.find(({ answer }) => answer.status === 200);
  if (!won) throw new Error('no LP won the claim');
  await webhook('claimed');

  tell(`${won.lp.name} sends the fiat and says so.`);
  await expectStatus(200, won.lp.call('POST', `/api/orders/${order_id}/fiat-sent`, {}));
  await webhook('fiat_sent');

  tell('The agent confirms that the recipient has the money.');
  await expectStatus(200, agent('POST', `/api/v1/confirm/${order_id}`, {}));
  await webhook('confirmed');

  tell('The payer sends the USDT (on the simulated chain), and the agent settles with the hash.');
  const transaction = await expectStatus(
    201,
    anyone('POST', '/sandbox/transactions', {
      chain: crypto_required.chain,
      symbol: crypto_required.symbol,
      to: won.answer.body.lp_receive_address,
      amount: crypto_required.amount,
    }),
  );
  tell(`  transaction ${transaction.tx_hash}`);
  await expectStatus(200, agent('POST', `/api/v1/settle/${order_id}`, { tx_hash: transaction.tx_hash }));
  await webhook('crypto_verify_pending');
  await webhook('completed');

  const status = await expectStatus(200, agent('GET', `/api/v1/status/${order_id}`));
  tell(`The agent asks once more: order ${order_id} is ${status.status} since ${status.completed_at}.`);
  tell(`Its whole story: ${workflowUrl(order_id)}`);

  async function registerLp(name: string, rateUsd: number) {
    const registered = await expectStatus(
      201,
      anyone('POST', '/api/lp/register', {
        xrpl_address: 'rDemoLiquidityProvider11111111',
        mpesa_phone: '+254700000002',
        display_name: name,
        supported_currencies: { KES: rateUsd },
        spread_bps: 40,
      }),
    );
    const call = caller(baseUrl, registered.lp_key);
    const own = `/api/lp/${registered.lp_key}`;
    const address = `T${randomBytes(16).toString('hex')}`;
    await expectStatus(201, call('POST', `${own}/assets`, { symbol: 'usdt', chain: 'trx', address }));
    const deposit = await expectStatus(
      200,
      call('POST', `${own}/collateral/deposit`, { amount: 500, asset: 'usdt' }),
    );
    await expectStatus(200, call('POST', `${own}/collateral/${deposit.deposit_id}/confirm`, {}));
    tell(`  ${name} (LP ${registered.lp_id}): 1 USD = ${rateUsd} KES, 500 USD of collateral`);
    return { name, call };
  }

  /** Waits for a webhook of this order, and insists on its signature. */
  async function webhook(status: string) {
    const { body, signatureIsValid } = await receiver.next(
      (received) => received.body.order_id === order_id && received.body.status === status,
    );
    if (!signatureIsValid) throw new Error(`the webhook "${status}" has a wrong signature`);
    tell(`  webhook: ${body.status} at ${body.timestamp}, signature verified`);
  }
}

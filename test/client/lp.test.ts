import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  CorridorError,
  createAgentClient,
  createLpClient,
  type LpClient,
  registerLp,
  verifyLpWebhook,
  verifyWebhook,
} from '../../client/src/index.ts';
import { WEBHOOK_SECRET } from '../support/corridor.ts';
import { startLpReceiver } from '../support/lp-receiver.ts';
import { HEADS } from '../support/receipts.ts';
import { catchRefusal } from '../support/refusal.ts';
import { upToACentAbove } from '../support/up-to-a-cent-above.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();
const baseUrl = corridor.config.publicUrl;

const createClient = (key: string): LpClient => createLpClient({ baseUrl, key });

test('a change of the float is sent once, and other terms again', async () => {
  const sent: string[] = [];
  const fetch = async (_url: unknown, { body }: { body?: unknown } = {}) => {
    sent.push(String(body));
    throw new TypeError('fetch failed');
  };
  const lp = createLpClient({ baseUrl, key: 'lp_key', attempts: 2, fetch: fetch as typeof globalThis.fetch });
  for (const change of [{ float: 5 }, { float: null }, { rate_usd: 129.5 }]) {
    sent.length = 0;
    const refusal = await catchRefusal(lp.publishTerms({ currency: 'KES', ...change }));
    expect([refusal.code, sent.length]).toEqual(['no_answer', 'float' in change ? 1 : 2]);
  }
});

test('an LP registers, claims an order and pays it', async () => {
  const { lp_id, lp_key } = await registerLp(
    { baseUrl },
    {
      xrpl_address: 'rMyLedgerAccount',
      mpesa_phone: '+254700000002',
      supported_currencies: { KES: 129.5 },
      spread_bps: 50,
    },
  );
  const lp = createClient(lp_key);
  await lp.publishRate({ currency: 'UGX', rate_usd: 3_700 });
  await lp.registerAsset({ symbol: 'usdt', chain: 'trx', address: 'TMyReceiveAddress' });
  const deposit = await lp.deposit({ amount: 200, asset: 'usdt' });
  expect(deposit).toMatchObject({ ok: true, amount: 200, asset: 'usdt' });
  await lp.confirmDeposit(deposit.deposit_id, { tx_hash: 'sandbox-paid-client-deposit' });
  await lp.confirmDeposit(deposit.deposit_id);
  expect((await lp.balance()).balance).toMatchObject({
    available: deposit.pay_to.amount,
    locked: 0,
  });

  const id = await agent.newOrder();
  expect(await lp.claim(id)).toEqual({
    status: 'claimed',
    lp_receive_address: 'TMyReceiveAddress',
    collateral_locked: 10,
  });
  // A client repeats a claim whose response was lost.
  expect(await lp.claim(id)).toMatchObject({ status: 'claimed' });
  const receipt = await lp.uploadReceipt(id, HEADS['image/png']);
  expect(receipt).toMatchObject({ ok: true, order_id: id });
  expect(await lp.uploadReceipt(id, new Blob([HEADS['application/pdf']]))).toMatchObject({ order_id: id });
  expect(await lp.fiatSent(id)).toEqual({ status: 'fiat_sent' });
  expect(await lp.order(id)).toMatchObject({
    id,
    lp_id,
    receipt_url: expect.stringContaining('/api/receipts/'),
  });

  const till = { currency: 'KES', method: 'till', rate_usd: 130, float: 50_000, valid_for: 60 };
  const { terms } = await lp.publishTerms(till);
  expect(terms).toMatchObject([{ currency: 'KES', method: 'till', float: 50_000, not_quoted: null }]);
  const lost = await catchRefusal(
    lp.publishTerms({ currency: 'KES', method: 'till', float: 1, expected_float: 2 }),
  );
  expect(lost.code).toBe('float_changed');
  await lp.publishTerms({ currency: 'UGX', quoting: false });
  const all = await lp.terms();
  expect(all.terms.map(({ currency, method, quoting }) => [currency, method, quoting])).toEqual([
    ['KES', 'mobile_money', true],
    ['KES', 'till', true],
    ['UGX', 'mobile_money', false],
  ]);

  const { lp: profile, rates, assets, my_orders } = await lp.dashboard();
  expect(profile).toMatchObject({
    id: lp_id,
    status: 'approved',
    collateral: { available: upToACentAbove(190), locked: 10 },
  });
  expect(rates.map(({ currency, rate_usd }) => [currency, rate_usd])).toEqual(
    expect.arrayContaining([
      ['KES', 129.5],
      ['UGX', 3_700],
    ]),
  );
  expect(assets).toMatchObject([{ symbol: 'usdt', chain: 'trx', address: 'TMyReceiveAddress' }]);
  expect(my_orders).toMatchObject([{ id, owned: true, recipient: '+254700123456' }]);

  // The order shows the agent where to pay.
  const { lp_receive_address, amount_crypto } = await createAgentClient({ baseUrl, key: agent.key }).order(
    id,
  );
  expect([lp_receive_address, amount_crypto]).toEqual(['TMyReceiveAddress', expect.closeTo(10.105, 2)]);
});

test('two withdrawals with one idempotency key reserve collateral once', async () => {
  const lp = createClient((await corridor.newLp()).key);
  const withdrawal = { amount: 100, address: 'TMyOwnAddress' };
  const idempotencyKey = 'withdrawal-1';
  const first = await lp.withdraw(withdrawal, { idempotencyKey });
  expect(first).toMatchObject({ amount: 100, status: 'requested' });
  expect(await lp.withdraw(withdrawal, { idempotencyKey })).toEqual({ ...first, idempotent_replay: true });
  const another = await lp.withdraw(withdrawal);
  expect(another.id).not.toBe(first.id);
  expect((await lp.balance()).balance).toMatchObject({
    available: upToACentAbove(800),
    withdrawing: 200,
    total: upToACentAbove(1_000),
  });
});

test('an LP releases and disputes orders', async () => {
  const lp = createClient((await corridor.newLp()).key);
  await corridor.newLp();
  const [released, disputed] = [await agent.newOrder(), await agent.newOrder()];
  await lp.claim(released);
  expect(await lp.release(released)).toEqual({ status: 'matched' });
  await lp.claim(disputed);
  await lp.fiatSent(disputed);
  expect(await lp.dispute(disputed, 'The recipient confirms to us and not to the agent')).toEqual({
    status: 'disputed',
  });
});

test('an LP lists all of its claimed orders, page by page', async () => {
  const lp = createClient((await corridor.newLp()).key);
  const claimed: number[] = [];
  for (let order = 0; order < 3; order++) {
    const id = await agent.newOrder();
    await lp.claim(id);
    claimed.unshift(id);
  }
  const listed: number[] = [];
  for await (const { id, owned } of lp.orders({ status: 'claimed', limit: 1 })) if (owned) listed.push(id);
  expect(listed).toEqual(claimed);
});

test('auto-claim claims matching orders', async () => {
  const lp = createClient((await corridor.newLp({ currency: 'TZS', rate: 2_500 })).key);
  await lp.setAutoClaim({ enabled: true, max_amount_usd: 50, currencies: ['TZS'] });
  expect((await lp.dashboard()).lp.auto_claim).toEqual({
    enabled: true,
    max_amount_usd: 50,
    currencies: ['TZS'],
    min_profit_usd: 0,
  });
  const id = await agent.newOrder({ amount: 25_000, currency: 'TZS' });
  const view = await createAgentClient({ baseUrl, key: agent.key }).waitFor(id, ['claimed'], { everyMs: 50 });
  expect(view.status).toBe('claimed');
});

test('webhooks arrive and verify', async () => {
  const lp = createClient((await corridor.newLp()).key);
  const receiver = await startLpReceiver();
  try {
    const { secret } = await lp.setWebhook({ url: receiver.url, events: ['order.open'] });
    const id = await agent.newOrder();
    const { raw: body, headers } = await receiver.next(id, 'order.open');
    expect(verifyLpWebhook({ secret, body, headers })).toMatchObject({
      type: 'order.open',
      data: { order: { id } },
    });
    expect(() => verifyLpWebhook({ secret: WEBHOOK_SECRET, body, headers })).toThrow(
      'signature does not match',
    );
    expect(() => verifyWebhook({ secret, body, headers })).toThrow('does not know the event');
    // A signature that covers no time would prove an old webhook for ever.
    expect(headers).not.toHaveProperty('x-service-signature');
    const plain = createHmac('sha256', secret).update(body).digest('hex');
    const replayed = { secret, body, headers: { 'x-service-signature': plain } };
    expect(() => verifyLpWebhook(replayed)).toThrow(
      expect.objectContaining({ mistake: 'signature_missing' }),
    );
    await lp.removeWebhook();
    expect(await lp.webhook()).toMatchObject({ state: 'off', url: null });
  } finally {
    receiver.close();
  }
});

describe('a refusal', () => {
  test('has its error code', async () => {
    const [lp, rival] = [await corridor.newLp(), await corridor.newLp()];
    const id = await agent.newOrder();
    await createClient(lp.key).claim(id);
    expect(await catchRefusal(createClient(rival.key).claim(id))).toMatchObject({
      status: 409,
      code: 'order_not_claimable',
    });
    expect(await catchRefusal(createClient(rival.key).fiatSent(id))).toMatchObject({
      code: 'not_order_owner',
    });
    const upload = createClient(lp.key).uploadReceipt(id, Buffer.from('plain text'));
    expect(await catchRefusal(upload)).toMatchObject({ status: 400, code: 'bad_file_type' });
    expect(await catchRefusal(createClient('lp_nobodys').dashboard())).toMatchObject({
      code: 'lp_unauthorized',
    });
  });

  test('of a registration contains the field', async () => {
    const error = await catchRefusal(
      registerLp({ baseUrl }, { xrpl_address: 'rMyLedgerAccount', mpesa_phone: '' }),
    );
    expect(error).toBeInstanceOf(CorridorError);
    expect(error).toMatchObject({ code: 'validation_failed' });
    expect(Object.keys(error.fields)).toEqual(['mpesa_phone']);
  });

  test('a registration is not repeated if the service is unavailable', async () => {
    let calls = 0;
    const failing: typeof fetch = async () => {
      calls += 1;
      throw new Error('lost');
    };
    const request = { xrpl_address: 'rMyLedgerAccount', mpesa_phone: '+254700000002' };
    const error = await catchRefusal(registerLp({ baseUrl, fetch: failing }, request));
    expect([error.code, calls]).toEqual(['no_answer', 1]);
  });
});

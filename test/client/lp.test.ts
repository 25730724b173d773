import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CorridorError,
  createAgentClient,
  createLpClient,
  type LpClient,
  registerLp,
} from '../../client/src/index.ts';
import { type Agent, newAgent, newLp, newOrder } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { HEADS } from '../support/receipts.ts';

let corridor: TestCorridor;
let agent: Agent;
let baseUrl: string;
beforeAll(async () => {
  corridor = await startCorridor();
  agent = await newAgent(corridor);
  baseUrl = corridor.config.publicUrl;
});
afterAll(() => corridor.stop());

const clientOf = (key: string): LpClient => createLpClient({ baseUrl, key });
const refusal = (call: Promise<unknown>): Promise<CorridorError> =>
  call.then(
    () => {
      throw new Error('It was not refused');
    },
    (error) => error,
  );

test('an LP goes from its registration to an order that it has paid', async () => {
  const { lp_id, lp_key } = await registerLp(
    { baseUrl },
    {
      xrpl_address: 'rMyLedgerAccount',
      mpesa_phone: '+254700000002',
      supported_currencies: { KES: 129.5 },
      spread_bps: 50,
    },
  );
  const lp = clientOf(lp_key);
  await lp.publishRate({ currency: 'UGX', rate_usd: 3_700 });
  await lp.registerAsset({ symbol: 'usdt', chain: 'trx', address: 'TMyReceiveAddress' });
  const deposit = await lp.deposit({ amount: 200, asset: 'usdt' });
  expect(deposit).toMatchObject({ ok: true, amount: 200, asset: 'usdt' });
  await lp.confirmDeposit(deposit.deposit_id);
  await lp.confirmDeposit(deposit.deposit_id);
  expect((await lp.balance()).balance).toMatchObject({ available: 200, locked: 0 });

  const id = await newOrder(agent);
  expect(await lp.claim(id)).toEqual({
    status: 'claimed',
    lp_receive_address: 'TMyReceiveAddress',
    collateral_locked: 10,
  });
  // As after an answer that got lost.
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

  const { lp: self, rates, assets, my_orders } = await lp.dashboard();
  expect(self).toMatchObject({ id: lp_id, status: 'approved', collateral: { available: 190, locked: 10 } });
  expect(rates.map(({ currency, rate_usd }) => [currency, rate_usd])).toEqual(
    expect.arrayContaining([
      ['KES', 129.5],
      ['UGX', 3_700],
    ]),
  );
  expect(assets).toMatchObject([{ symbol: 'usdt', chain: 'trx', address: 'TMyReceiveAddress' }]);
  expect(my_orders).toMatchObject([{ id, owned: true, recipient: '+254700123456' }]);

  // The agent pays where the order says.
  const { lp_receive_address, amount_crypto } = await createAgentClient({ baseUrl, key: agent.key }).order(
    id,
  );
  expect([lp_receive_address, amount_crypto]).toEqual(['TMyReceiveAddress', 10.1]);
});

test('collateral that is asked back twice by one key is reserved once', async () => {
  const lp = clientOf((await newLp(corridor)).key);
  const terms = { amount: 100, address: 'TMyOwnAddress' };
  const idempotencyKey = 'withdrawal-1';
  const first = await lp.withdraw(terms, { idempotencyKey });
  expect(first).toMatchObject({ amount: 100, status: 'requested' });
  expect(await lp.withdraw(terms, { idempotencyKey })).toEqual({ ...first, idempotent_replay: true });
  const another = await lp.withdraw(terms);
  expect(another.id).not.toBe(first.id);
  expect((await lp.balance()).balance).toMatchObject({ available: 800, withdrawing: 200, total: 1_000 });
});

test('orders are given back and disputed', async () => {
  const lp = clientOf((await newLp(corridor)).key);
  await newLp(corridor);
  const [given, disputed] = [await newOrder(agent), await newOrder(agent)];
  await lp.claim(given);
  expect(await lp.release(given)).toEqual({ status: 'matched' });
  await lp.claim(disputed);
  await lp.fiatSent(disputed);
  expect(await lp.dispute(disputed, 'The recipient confirms to us and not to the agent')).toEqual({
    status: 'disputed',
  });
});

test('what is switched on claims by itself', async () => {
  const lp = clientOf((await newLp(corridor, { currency: 'TZS', rate: 2_500 })).key);
  await lp.setAutoClaim({ enabled: true, max_amount_usd: 50, currencies: ['TZS'] });
  expect((await lp.dashboard()).lp.auto_claim).toEqual({
    enabled: true,
    max_amount_usd: 50,
    currencies: ['TZS'],
    min_profit_usd: 0,
  });
  const id = await newOrder(agent, { amount: 25_000, currency: 'TZS' });
  const view = await createAgentClient({ baseUrl, key: agent.key }).waitFor(id, ['claimed'], { everyMs: 50 });
  expect(view.status).toBe('claimed');
});

describe('a refusal', () => {
  test('has its name', async () => {
    const [lp, rival] = [await newLp(corridor), await newLp(corridor)];
    const id = await newOrder(agent);
    await clientOf(lp.key).claim(id);
    expect(await refusal(clientOf(rival.key).claim(id))).toMatchObject({
      status: 409,
      code: 'order_not_claimable',
    });
    expect(await refusal(clientOf(rival.key).fiatSent(id))).toMatchObject({ code: 'not_order_owner' });
    const noReceipt = clientOf(lp.key).uploadReceipt(id, Buffer.from('plain text'));
    expect(await refusal(noReceipt)).toMatchObject({ status: 400, code: 'bad_file_type' });
    expect(await refusal(clientOf('lp_nobodys').dashboard())).toMatchObject({ code: 'lp_unauthorized' });
  });

  test('of a registration names the field', async () => {
    const error = await refusal(
      registerLp({ baseUrl }, { xrpl_address: 'rMyLedgerAccount', mpesa_phone: '' }),
    );
    expect(error).toBeInstanceOf(CorridorError);
    expect(error).toMatchObject({ code: 'validation_failed' });
    expect(Object.keys(error.fields)).toEqual(['mpesa_phone']);
  });

  test('of a service that is not there leaves a registration unrepeated', async () => {
    let calls = 0;
    const unheard: typeof fetch = async () => {
      calls += 1;
      throw new Error('lost');
    };
    const request = { xrpl_address: 'rMyLedgerAccount', mpesa_phone: '+254700000002' };
    const error = await refusal(registerLp({ baseUrl, fetch: unheard }, request));
    expect([error.code, calls]).toEqual(['no_answer', 1]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { startCorridor } from '../support/corridor.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();

const registration = { xrpl_address: 'rTestLiquidityProvider11111111', mpesa_phone: '+254711000001' };
describe('POST /api/lp/register', () => {
  test('returns a key, which is shown once and stored as a hash', async () => {
    const { status, body } = await corridor.anyone('POST', '/api/lp/register', registration);
    expect(status).toBe(201);
    expect(body).toEqual({
      lp_id: expect.any(Number),
      lp_key: expect.stringMatching(/^lp_[0-9a-f]{48}$/),
      user_id: expect.any(Number),
    });
    const rows = await corridor.db.query('dump', 'select lp::text as row from lp where id = $1', [
      body.lp_id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(body.lp_key.slice(3));
  });

  test.each([
    ['no xrpl_address', { xrpl_address: undefined }, 'xrpl_address'],
    ['no mpesa_phone', { mpesa_phone: undefined }, 'mpesa_phone'],
    ['a rate of zero', { supported_currencies: { KES: 0 } }, 'supported_currencies'],
    ['an invalid currency', { supported_currencies: { shillings: 1 } }, 'supported_currencies'],
    ['a spread above 100 %', { spread_bps: 10_001 }, 'spread_bps'],
  ])('refuses %s', async (_what, changes, field) => {
    const answer = await corridor.anyone('POST', '/api/lp/register', { ...registration, ...changes });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe('Validation failed');
    expect(Object.keys(answer.body.error.fieldErrors)).toEqual([field]);
  });

  test('refuses invalid JSON', async () => {
    const answer = await corridor.anyone('POST', '/api/lp/register', '{');
    expect(answer).toMatchObject({ status: 400, body: { error: 'Invalid JSON' } });
  });
});

describe('an LP', () => {
  test('publishes rates, and the next payment is quoted at the new one', async () => {
    const lp = await corridor.newLp({ currency: 'TZS', rate: 2_500 });
    const set = await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'tzs', rate_usd: 2_600 });
    expect(set).toMatchObject({ status: 200, body: { ok: true } });
    expect((await agent.pay({ currency: 'TZS', amount: 26_000 })).body.lp).toEqual({
      id: lp.id,
      rate: 2600,
    });
  });

  test('registers receive addresses, and can change them', async () => {
    const lp = await corridor.newLp({ asset: false });
    for (const address of ['TFirst', 'TSecond']) {
      const body = { symbol: 'USDT', chain: 'trx', address };
      expect(await lp.call('POST', `/api/lp/${lp.key}/assets`, body)).toMatchObject({
        status: 201,
        body: { ok: true },
      });
    }
    const rows = await corridor.db.query('assets', 'select symbol, address from lp_asset where lp_id = $1', [
      lp.id,
    ]);
    expect(rows).toEqual([{ symbol: 'usdt', address: 'TSecond' }]);
  });

  test('deposits collateral, which counts after confirmation, and only once', async () => {
    const lp = await corridor.newLp({ collateral: 0 });
    const made = await lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, {
      amount: 250.5,
      asset: 'usdt',
    });
    expect(made).toMatchObject({ status: 200, body: { ok: true, amount: 250.5, asset: 'usdt' } });
    const { pay_to } = made.body;
    expect(await corridor.collateralOf(lp)).toEqual({ available: 0, locked: 0 });
    const confirm = () => lp.call('POST', `/api/lp/${lp.key}/collateral/${made.body.deposit_id}/confirm`, {});
    const answers = await Promise.all([confirm(), confirm(), confirm()]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(await corridor.collateralOf(lp)).toEqual({ available: 250.5, locked: 0 });
    const ledger = await corridor.db.query(
      'ledger',
      'select debit, credit, amount from ledger_transfer where deposit_id = $1',
      [made.body.deposit_id],
    );
    expect(ledger).toEqual([
      { debit: 'outside', credit: `lp:${lp.id}:available`, amount: pay_to.amount.toFixed(6) },
    ]);
  });

  test('cannot get one transaction credited twice', async () => {
    const lp = await corridor.newLp({ collateral: 0 });
    const answers = [];
    for (const tx_hash of ['0xSANDBOX-PAID-twice', 'sandbox-paid-TWICE']) {
      const made = await lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, {
        amount: 10,
        asset: 'usdt',
        tx_hash,
      });
      answers.push(await lp.call('POST', `/api/lp/${lp.key}/collateral/${made.body.deposit_id}/confirm`, {}));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 409]);
    expect(await corridor.collateralOf(lp)).toEqual({ available: 10, locked: 0 });
  });

  test('cannot confirm the deposit of another', async () => {
    const [lp, other] = [await corridor.newLp({ collateral: 0 }), await corridor.newLp({ collateral: 0 })];
    const made = await lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, { amount: 10 });
    const path = `/api/lp/${other.key}/collateral/${made.body.deposit_id}/confirm`;
    expect((await other.call('POST', path, {})).status).toBe(404);
  });

  test.each([
    ['rates', { currency: 'KES' }],
    ['rates', { rate_usd: 1 }],
    ['rates', { currency: 'KES', rate_usd: -1 }],
    ['assets', { symbol: 'usdt', chain: 'trx' }],
    ['assets', { symbol: 'usdt', address: 'T1' }],
    ['assets', { chain: 'trx', address: 'T1' }],
    ['collateral/deposit', {}],
    ['collateral/deposit', { amount: 0 }],
    ['collateral/deposit', { amount: -1 }],
    ['collateral/deposit', { amount: 5, asset: 'doge' }],
  ])('gets the errors of %s %j by field', async (path, body) => {
    const lp = await corridor.newLp({ collateral: 0 });
    const answer = await lp.call('POST', `/api/lp/${lp.key}/${path}`, body);
    expect(answer).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
  });

  test('is identified only by its key: a missing or wrong key, or one that differs from the path’s, gets a 401', async () => {
    const [lp, other] = [await corridor.newLp(), await corridor.newLp()];
    const rate = { currency: 'KES', rate_usd: 1 };
    for (const call of [corridor.anyone, corridor.as('lp_wrong'), other.call]) {
      const answer = await call('POST', `/api/lp/${lp.key}/rates`, rate);
      expect(answer).toMatchObject({ status: 401, body: { error: 'Unauthorized' } });
    }
    expect((await corridor.as('lp_x')('POST', '/api/lp/lp_x/rates', rate)).status).toBe(401);
    expect((await corridor.as(lp.key)('POST', `/api/lp/${lp.id}/rates`, rate)).status).toBe(401);
  });
});

test('an LP that is not approved is not quoted and cannot claim', async () => {
  const strict = await startCorridor({ env: { LP_AUTO_APPROVE: 'false' }, worker: false });
  try {
    const [caller, lp] = [await strict.newAgent(), await strict.newLp()];
    expect((await caller.pay()).status).toBe(404);
    const approved = `update lp set status = 'approved' where id = $1`;
    await strict.db.query('approve', approved, [lp.id]);
    const id = await caller.newOrder();
    await strict.db.query('suspend', approved.replace('approved', 'suspended'), [lp.id]);
    expect(await lp.claim(id)).toMatchObject({
      ...{ status: 403, body: { error: expect.stringMatching(/^This LP is suspended: /) } },
    });
  } finally {
    await strict.stop();
  }
});

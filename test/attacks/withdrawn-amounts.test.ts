import { afterEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { deposit } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** A payout of collateral never has the amount that an order, a rate lock or an announced deposit asks for. */
const corridor = await useCorridor({ worker: false });
const agent = await corridor.newAgent();
const [lp, other] = [await corridor.newLp(), await corridor.newLp({ collateral: 0 })];
for (const one of [lp, other]) await deposit(one, 100_000);
afterEach(async () => {
  await corridor.sql('delete from reserved_amount');
  await corridor.sql(`update collateral_withdrawal set decided_at = decided_at - interval '2 days'`);
});

/** As if other orders, or other announcements, held all amounts of 10.05 but `free`, counted in units above it. */
const hold = (purpose: 'order' | 'deposit', free: number[]) =>
  corridor.sql(
    `insert into reserved_amount (chain, symbol, purpose, amount, order_id, deposit_id, expires_at)
     select 'trx', 'usdt', $1::varchar, 10.05 + n / 1000000.0, case $1 when 'order' then -1 - n end,
       case $1 when 'deposit' then -1 - n end, case $1 when 'deposit' then now() + interval '1 hour' end
     from generate_series(0, 9999) n where n <> all ($2::int[])
     on conflict do nothing`,
    [purpose, free],
  );
/** Its order asks for 10.05 and up to a cent more. */
const quote = { amount: 1_295, currency: 'KES' };
const rates = () => agent.call('POST', '/api/v1/rates', quote);
const announce = (by: TestLp) =>
  by.call('POST', `/api/lp/${by.key}/collateral/deposit`, { amount: 10.05, asset: 'usdt', chain: 'trx' });
const withdraw = (amount: number, by: TestLp = lp, changes: object = {}) =>
  by.call(
    'POST',
    `/api/lp/${by.key}/collateral/withdraw`,
    { amount, asset: 'usdt', chain: 'trx', address: 'TTheOther', ...changes },
    { 'idempotency-key': crypto.randomUUID() },
  );
const decide = (id: number, verb: 'paid' | 'reject') =>
  expectStatus(
    200,
    corridor.admin('POST', `/api/admin/withdrawals/${id}/${verb}`, verb === 'reject' ? { reason: 'No' } : {}),
  );
const expectInUse = async (asked: ReturnType<typeof withdraw>) => {
  const answer = await asked;
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([409, 'amount_in_use']);
};
const balanceOf = async (by: TestLp) =>
  (await expectStatus(200, by.call('GET', `/api/lp/${by.key}/balance`))).balance;

describe('a withdrawal', () => {
  test('of the amount of a live order is refused, changes nothing, and a cent less is not', async () => {
    const { order_id, crypto_required } = await expectStatus(201, agent.pay());
    const before = await balanceOf(lp);
    for (const address of ['TTheOther', lp.address]) {
      await expectInUse(withdraw(crypto_required.amount, lp, { address }));
      await expectInUse(withdraw(crypto_required.amount, other, { address }));
    }
    expect(await balanceOf(lp)).toEqual(before);
    const near = Number((crypto_required.amount - 0.01).toFixed(6));
    await expectStatus(201, withdraw(near));
    // On other chains, and in other tokens, it is another amount.
    await expectStatus(201, withdraw(crypto_required.amount, lp, { chain: 'base' }));
    await expectStatus(201, withdraw(crypto_required.amount, lp, { asset: 'usdc' }));
    await corridor.sql(`update orders set status = 'cancelled' where id = $1`, [order_id]);
    await expectStatus(201, withdraw(crypto_required.amount));
  });

  test('of the amount of a rate lock, or of a live announcement, is refused', async () => {
    await expectInUse(withdraw((await expectStatus(201, rates())).crypto_amount));
    await expectInUse(withdraw((await expectStatus(200, announce(other))).pay_to.amount));
  });

  test('of all that an LP has deposited is not refused, and the deposit’s amount stays reserved', async () => {
    const newcomer = await corridor.newLp({ collateral: 0 });
    const { deposit_id, pay_to } = await expectStatus(200, announce(newcomer));
    const path = `/api/lp/${newcomer.key}/collateral/${deposit_id}/confirm`;
    await expectStatus(200, newcomer.call('POST', path, {}));
    const { id } = await expectStatus(201, withdraw(pay_to.amount, newcomer));
    await decide(id, 'reject');
    const held = await corridor.sql(
      `select deposit_id::int, expires_at > now() + interval '29 days' as for_long from reserved_amount
       where purpose = 'deposit' and amount = $1`,
      [pay_to.amount],
    );
    expect(held).toEqual([{ deposit_id, for_long: true }]);
  });
});

describe('the amount of a withdrawal', () => {
  const AMOUNT = 10.050321;
  /** The payer's and the LP's ways to an amount. */
  const ask = async () => [
    (await agent.pay()).status,
    (await rates()).status,
    (await announce(other)).status,
  ];
  const expectHeld = async () => expect(await ask()).toEqual([503, 503, 503]);
  const holdAllBut = (unit: number) => Promise.all([hold('order', [unit]), hold('deposit', [unit])]);

  test('is drawn by no order, rate lock or deposit while it is open, and is free once it is rejected', async () => {
    await holdAllBut(321);
    const { id } = await expectStatus(201, withdraw(AMOUNT));
    await expectHeld();
    await decide(id, 'reject');
    expect((await expectStatus(201, rates())).crypto_amount).toBe(AMOUNT);
    expect((await expectStatus(200, announce(other))).pay_to.amount).toBe(AMOUNT);
  });

  test('stays reserved for a day after it is paid', async () => {
    await holdAllBut(321);
    const { id } = await expectStatus(201, withdraw(AMOUNT));
    await decide(id, 'paid');
    await expectHeld();
    const later = (by: string) =>
      corridor.sql(
        'update reserved_amount set expires_at = expires_at - $1::interval where withdrawal_id = $2',
        [by, id],
      );
    await later('23.9 hours');
    await expectHeld();
    await later('6 minutes');
    const { order_id, crypto_required } = await expectStatus(201, agent.pay());
    expect(crypto_required.amount).toBe(AMOUNT);
    await expectInUse(withdraw(AMOUNT));
    await corridor.sql(`update orders set status = 'cancelled' where id = $1`, [order_id]);
  });

  test('may be that of other withdrawals, and is reserved until the last of them is decided', async () => {
    await holdAllBut(321);
    const ids: number[] = [];
    for (const by of [lp, other, lp]) ids.push((await expectStatus(201, withdraw(AMOUNT, by))).id);
    for (const id of ids.slice(1)) {
      await decide(id, 'reject');
      await expectHeld();
    }
    await decide(ids[0] as number, 'reject');
    expect((await expectStatus(201, rates())).crypto_amount).toBe(AMOUNT);
  });

  test('stays reserved when another withdrawal of it is rejected after the payout', async () => {
    await holdAllBut(321);
    const [paid, rejected] = [
      await expectStatus(201, withdraw(AMOUNT)),
      await expectStatus(201, withdraw(AMOUNT, other)),
    ];
    await decide(paid.id, 'paid');
    await decide(rejected.id, 'reject');
    await expectHeld();
  });

  test('goes to a withdrawal or to a payment, and never to both, in parallel', async () => {
    for (let unit = 1_000; unit < 1_012; unit++) {
      await hold('order', [unit]);
      const amount = Number((10.05 + unit / 1e6).toFixed(6));
      const [taken, paid, locked] = await Promise.all([withdraw(amount), agent.pay(), rates()]);
      const got = [taken.status === 201, paid.status === 201, locked.status === 201];
      expect(got.filter(Boolean)).toHaveLength(1);
      if (taken.status !== 201) expect(taken.headers.get('x-error-code')).toBe('amount_in_use');
      if (paid.status === 201)
        await corridor.sql(`update orders set status = 'cancelled' where id = $1`, [paid.body.order_id]);
      await corridor.sql('delete from reserved_amount');
    }
  });

  test('goes to a withdrawal or to an announcement, and never to both, in parallel', async () => {
    for (let unit = 2_000; unit < 2_008; unit++) {
      await hold('deposit', [unit]);
      const amount = Number((10.05 + unit / 1e6).toFixed(6));
      const [taken, announced] = await Promise.all([withdraw(amount), announce(other)]);
      expect([taken.status, announced.status]).toEqual(taken.status === 201 ? [201, 503] : [409, 200]);
      await corridor.sql(
        `update collateral_deposit set expires_at = date_trunc('milliseconds', now()) where status = $1`,
        ['pending'],
      );
      await corridor.sql('delete from reserved_amount');
    }
  });
});

describe('a transaction that has not committed', () => {
  const AMOUNT = 10.050654;
  /** Makes a request while a transaction that has run `sql` is open, and commits that once the request waits for it. */
  async function whileOpen<T>(sql: string, values: unknown[], request: () => Promise<T>): Promise<T> {
    const first = await corridor.db.pool.connect();
    try {
      await first.query('begin');
      await first.query(sql, values);
      const answer = request();
      await eventually(() => countWaiting(corridor.db.pool));
      await first.query('commit');
      return await answer;
    } finally {
      first.release(true);
    }
  }
  const REQUEST = `insert into collateral_withdrawal (lp_id, amount, asset, chain, address, idempotency_key)
    values ($1, $2, 'usdt', 'trx', 'TTheOther', gen_random_uuid()::text)`;

  test('and requests a withdrawal keeps its amount from an order', async () => {
    await hold('order', [654]);
    const paid = await whileOpen(REQUEST, [lp.id, AMOUNT], () => agent.pay());
    expect([paid.status, paid.headers.get('x-error-code')]).toEqual([503, 'amounts_exhausted']);
  });

  test('and locks a rate keeps its amount from a withdrawal', async () => {
    const sql = `insert into reserved_amount (chain, symbol, purpose, amount, rate_lock_id, expires_at)
      values ('trx', 'usdt', 'order', $1, 'test', now() + interval '1 hour')`;
    await expectInUse(whileOpen(sql, [AMOUNT], () => withdraw(AMOUNT)));
  });

  test('and announces a deposit keeps its amount from a withdrawal', async () => {
    const sql = `insert into collateral_deposit (lp_id, amount, asset, chain, expires_at)
      values ($1, $2, 'usdt', 'trx', now() + interval '1 hour')`;
    await expectInUse(whileOpen(sql, [lp.id, AMOUNT], () => withdraw(AMOUNT)));
  });

  test('and requests a withdrawal keeps its amount when another one of it is rejected meanwhile', async () => {
    const { id } = await expectStatus(201, withdraw(AMOUNT));
    await whileOpen(REQUEST, [other.id, AMOUNT], () => decide(id, 'reject'));
    const sql = 'select purpose, expires_at from reserved_amount where amount = $1 order by purpose';
    expect(await corridor.sql(sql, [AMOUNT])).toEqual([
      { purpose: 'deposit', expires_at: null },
      { purpose: 'order', expires_at: null },
    ]);
    await corridor.sql(
      `update collateral_withdrawal set status = 'rejected', reason = 'No', decided_at = now()
      where lp_id = $1 and amount = $2 and status = 'requested'`,
      [other.id, AMOUNT],
    );
  });
});

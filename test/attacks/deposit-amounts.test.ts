import { afterEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { MOST_LIVE_DEPOSITS } from '../../src/domain/deposit-status.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** How many amounts of a price an LP can use up, by announcing deposits that it never pays. Anybody may register LPs. */
const corridor = await useCorridor({ worker: false, env: { LP_AUTO_APPROVE: 'false' } });
afterEach(() => corridor.sql('delete from reserved_amount'));

const newDepositor = async ({ isApproved }: { isApproved: boolean }): Promise<TestLp> => {
  const lp = await corridor.newLp({ asset: false, collateral: 0 });
  if (isApproved) await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/approve`, {}));
  return lp;
};
const announce = (lp: TestLp, amount = 100) =>
  lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, { amount, asset: 'usdt', chain: 'trx' });
const amountOf = async (announced: ReturnType<typeof announce>): Promise<number> =>
  (await expectStatus(200, announced)).pay_to.amount;
/** As if the time until the end of an LP's announcements and `days` more had passed. */
const expireAll = (lp: TestLp, days = 0) =>
  corridor.sql(
    `with old as (
       select id, expires_at - now() + $2 * interval '1 day' as shift from collateral_deposit
       where lp_id = $1 and status = 'pending' and expires_at > now()
     ),
     ended as (update collateral_deposit d set expires_at = expires_at - shift from old where d.id = old.id)
     update reserved_amount r set expires_at = r.expires_at - shift from old where r.deposit_id = old.id`,
    [lp.id, days],
  );
const reserved = async () =>
  (await corridor.sql('select count(*)::int as n from reserved_amount where expires_at > now()'))[0]?.n;
/** As if other announcements held all amounts of 100 but one. */
const holdAllBut = (unit: number) =>
  corridor.sql(
    `insert into reserved_amount (chain, symbol, purpose, amount, deposit_id, expires_at)
     select 'trx', 'usdt', 'deposit', 100 + n / 1000000.0, -1 - n, now() + interval '90 days'
     from generate_series(0, 9999) n where n <> $1 on conflict do nothing`,
    [unit],
  );

describe.each([
  ['never approved', false, 1],
  ['approved', true, 30],
])('an LP that an admin has %s', (_what, isApproved, days) => {
  test(`keeps the amount of an unpaid announcement from others for ${days} days`, async () => {
    const [lp, other] = [await newDepositor({ isApproved }), await newDepositor({ isApproved: true })];
    await holdAllBut(7);
    expect(await amountOf(announce(lp))).toBe(100.000007);
    await expireAll(lp, days - 0.1);
    expect((await announce(other)).status).toBe(503);
    await corridor.sql(
      `update reserved_amount set expires_at = expires_at - interval '2.4 hours' where deposit_id > 0`,
    );
    expect(await amountOf(announce(other))).toBe(100.000007);
  });

  test('uses up no more amounts of a price than it may announce at a time, day by day', async () => {
    const lp = await newDepositor({ isApproved });
    for (let day = 0; day < 3; day++) {
      for (let i = 0; i < MOST_LIVE_DEPOSITS; i++) await amountOf(announce(lp));
      expect((await announce(lp)).status).toBe(409);
      await expireAll(lp, 0.5);
    }
    expect(await reserved()).toBe(MOST_LIVE_DEPOSITS);
  });

  test('gets amounts of its own again in parallel, each once', async () => {
    const lp = await newDepositor({ isApproved });
    for (let i = 0; i < MOST_LIVE_DEPOSITS; i++) await amountOf(announce(lp));
    await expireAll(lp);
    const answers = await Promise.all(Array.from({ length: MOST_LIVE_DEPOSITS + 5 }, () => announce(lp)));
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.pay_to.amount);
    expect(new Set(made).size).toBe(MOST_LIVE_DEPOSITS);
  });
});

test('an amount that an LP has paid is not asked for again, not even by the LP', async () => {
  const lp = await newDepositor({ isApproved: true });
  await holdAllBut(8);
  const { deposit_id } = await expectStatus(200, announce(lp));
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/collateral/${deposit_id}/confirm`, {}));
  expect((await announce(lp)).status).toBe(503);
  await corridor.sql(
    `update collateral_deposit set expires_at = date_trunc('milliseconds', now()) where id = $1`,
    [deposit_id],
  );
  expect((await announce(lp)).status).toBe(503);
});

test('an amount of another price is not drawn again', async () => {
  const lp = await newDepositor({ isApproved: true });
  const first = await amountOf(announce(lp, 100));
  await expireAll(lp);
  const second = await amountOf(announce(lp, 101));
  expect([Math.floor(first), Math.floor(second)]).toEqual([100, 101]);
  expect(await amountOf(announce(lp, 100))).toBe(first);
});

describe('an amount that is still reserved for an announcement', () => {
  /** As a statement of its own, which draws nothing. */
  const insert = (lp: TestLp, amount: number) =>
    corridor.sql(
      `insert into collateral_deposit (lp_id, amount, asset, chain, expires_at)
       values ($1, $2, 'usdt', 'trx', now() + interval '1 hour')`,
      [lp.id, amount],
    );
  const REFUSED = /^Another order, rate lock, deposit or withdrawal has the amount/;

  test('which has expired, is refused to another LP, also by a direct insert', async () => {
    const [lp, other] = [await newDepositor({ isApproved: true }), await newDepositor({ isApproved: true })];
    const amount = await amountOf(announce(lp));
    await expect(insert(lp, amount)).rejects.toThrow(REFUSED);
    await expireAll(lp);
    await expect(insert(other, amount)).rejects.toThrow(REFUSED);
    await insert(lp, amount);
  });

  test('which is paid, is refused to its LP too', async () => {
    const lp = await newDepositor({ isApproved: true });
    const { deposit_id, pay_to } = await expectStatus(200, announce(lp));
    await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/collateral/${deposit_id}/confirm`, {}));
    await corridor.sql(
      `update collateral_deposit set expires_at = date_trunc('milliseconds', now()) where id = $1`,
      [deposit_id],
    );
    await expect(insert(lp, pay_to.amount)).rejects.toThrow(REFUSED);
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { collateralForOrder, TIER_MULTIPLIERS } from '../../src/domain/collateral.ts';
import type { Command } from '../../src/domain/order-commands.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import { createIntruder } from '../support/intruder.ts';
import type { TestLp } from '../support/parties.ts';
import { stepInput } from '../support/take-step.ts';

const HOUR_MS = 3_600_000;
/** The rows decide whether an LP may claim and what it locks. A command from Temporal only names the LP. */
const corridor = await startCorridor({ env: { STRIKE_COOL_DOWN: '1h' } });
const intruder = await createIntruder(corridor);
const agent = await corridor.newAgent();
afterAll(async () => {
  await intruder.leave();
  await corridor.stop();
});

const run = (sql: string, ...values: unknown[]) => corridor.db.pool.query(sql, values);
const setTier = (lp: TestLp, tier: number) => run('update lp set tier = $2 where id = $1', lp.id, tier);
const lockedFor = async (orderId: number): Promise<string | null> =>
  (await run('select collateral_locked from orders where id = $1', orderId)).rows[0].collateral_locked;

/** Runs the claim step as a worker does, at the order's present version. `more`: any further fields of the command. */
async function step(
  trigger: 'claim' | 'autoClaim',
  orderId: number,
  lpId: number,
  more: object = {},
): Promise<string> {
  const command = { trigger, lpId, validUntil: 'infinity', ...more };
  const given = await stepInput(corridor.db, orderId, command as Command, `lp:${lpId}`);
  return (await performStep(corridor.db, 'claim', given, { ...NO_LIMITS, strikeCoolDown: HOUR_MS })).result;
}

test.each(TIER_MULTIPLIERS.map((_, tier) => tier))(
  'an LP of tier %d locks what its tier requires, whatever the command says',
  async (tier) => {
    const lp = await corridor.newLp();
    await setTier(lp, tier);
    for (const amount of [1_295, 1_234.57, 129.51]) {
      const id = await agent.newOrder({ amount });
      const { rows } = await run('select amount_usd from orders where id = $1', id);
      expect(await step('claim', id, lp.id, { collateral: '0.01' })).toBe('applied');
      expect(Number(await lockedFor(id))).toBe(Number(collateralForOrder(rows[0].amount_usd, tier)));
    }
  },
);

describe('a claim that the API has accepted and that then waits for a worker', () => {
  async function whileWaiting(lp: TestLp, change: () => Promise<unknown>) {
    const id = await agent.newOrder();
    await corridor.stopWorker();
    const answer = lp.claim(id);
    const signal = await eventually(async () => (await intruder.readSignals(id, 'claim'))[0]);
    await change();
    await corridor.startWorker();
    // The API may have answered 503 by then. Only the outcome counts.
    await answer;
    const result = await eventually(async () => {
      const { rows } = await run('select result from order_outcome where request_id = $1', signal.requestId);
      return rows[0]?.result as string | undefined;
    });
    return { id, result };
  }

  test('locks the collateral of the LP’s tier at that time', async () => {
    const lp = await corridor.newLp();
    await setTier(lp, 4);
    const { id, result } = await whileWaiting(lp, () => setTier(lp, 0));
    expect([result, await lockedFor(id)]).toEqual(['applied', '10.000000']);
  });

  test('is refused if the LP is suspended by then', async () => {
    const lp = await corridor.newLp();
    const { id, result } = await whileWaiting(lp, () =>
      run(`update lp set status = 'suspended' where id = $1`, lp.id),
    );
    expect([result, await agent.statusOf(id), await lockedFor(id)]).toEqual([
      'lp_not_approved',
      'matched',
      null,
    ]);
    await expectStatus(200, (await corridor.newLp()).claim(id));
  });

  test('is refused if the LP cools down by then', async () => {
    const lp = await corridor.newLp();
    const other = await agent.newOrder();
    const { id, result } = await whileWaiting(lp, () =>
      run('insert into lp_strike (order_id, seq, lp_id) values ($1, 9, $2)', other, lp.id),
    );
    expect([result, await agent.statusOf(id)]).toEqual(['lp_cooling_down', 'matched']);
    await run(`update lp_strike set created_at = now() - interval '61 minutes' where order_id = $1`, other);
    await expectStatus(200, lp.claim(id));
  });
});

test('a claim by an LP with addresses for other tokens and chains only is refused', async () => {
  // The order is quoted from another LP, which can be paid.
  await corridor.newLp();
  const lp = await corridor.newLp({ asset: false });
  const id = await agent.newOrder();
  for (const [symbol, chain] of [
    ['usdc', 'trx'],
    ['usdt', 'xrpl'],
  ])
    await run(
      `insert into lp_asset (lp_id, symbol, chain, address) values ($1::bigint, $2, $3, 'T-other-' || $1)`,
      ...[lp.id, symbol, chain],
    );
  expect(await step('claim', id, lp.id)).toBe('no_receive_address');
  expect([await agent.statusOf(id), await lockedFor(id)]).toEqual(['matched', null]);
});

describe('an automatic claim that the LP’s settings do not cover changes nothing', () => {
  // Otherwise the orders' own workflows would claim them first.
  beforeAll(() => corridor.stopWorker());

  const setUp = async (terms: object | undefined): Promise<TestLp> => {
    const lp = await corridor.newLp({ spreadBps: 0 });
    if (!terms) return lp;
    const values = { enabled: true, max_amount_usd: null, currencies: null, min_profit_usd: '0', ...terms };
    const names = Object.keys(values);
    const places = names.map((_, i) => `$${i + 2}`);
    await run(
      `insert into lp_auto_claim (lp_id, ${names}) values ($1, ${places})`,
      lp.id,
      ...Object.values(values),
    );
    return lp;
  };
  // 1,295 KES at 129.5: 10 USD.
  test.each<[string, object | undefined, string]>([
    ['it has none', undefined, 'order_not_claimable'],
    ['it is off', { enabled: false }, 'order_not_claimable'],
    ['the order is larger', { max_amount_usd: '9.999999' }, 'order_not_claimable'],
    ['the order is as large as allowed', { max_amount_usd: '10' }, 'applied'],
    ['the currency is not listed', { currencies: ['UGX'] }, 'order_not_claimable'],
    ['the currency is listed', { currencies: ['UGX', 'KES'] }, 'applied'],
    ['the profit is too small', { min_profit_usd: '0.000001' }, 'order_not_claimable'],
    ['the profit is just large enough', { min_profit_usd: '0' }, 'applied'],
  ])('%s', async (_case, terms, result) => {
    const lp = await setUp(terms);
    const id = await agent.newOrder();
    await run('delete from lp_auto_claim where lp_id <> $1', lp.id);
    expect(await step('autoClaim', id, lp.id)).toBe(result);
    expect(await lockedFor(id)).toBe(result === 'applied' ? '10.000000' : null);
  });

  test('without a valid rate of its own, even if it lists the currency', async () => {
    const [unlisted, listed] = [await setUp({}), await setUp({ currencies: ['KES'] })];
    const id = await agent.newOrder();
    await run(`update lp_term set valid_until = 'yesterday' where lp_id = any ($1)`, [
      unlisted.id,
      listed.id,
    ]);
    expect(await step('autoClaim', id, unlisted.id)).toBe('order_not_claimable');
    expect(await step('autoClaim', id, listed.id)).toBe('order_not_claimable');
  });

  test('after the claim deadline', async () => {
    const lp = await setUp({});
    await run('update lp_auto_claim set enabled = false');
    const id = await agent.newOrder();
    await run('update lp_auto_claim set enabled = true where lp_id = $1', lp.id);
    await run(`update orders set timeout_at = now() - interval '1 millisecond' where id = $1`, id);
    expect(await step('autoClaim', id, lp.id)).toBe('order_not_claimable');
  });
});

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ACCOUNTS } from '../../../src/db/ledger/accounts.ts';
import { decimal } from '../../../src/domain/money.ts';
import { UNSETTLED_STATUSES } from '../../../src/domain/order-state.ts';
import { ledgerFindings } from '../../../src/operations/diagnosis/checks/ledger.ts';
import { createRandom, newSeedFrom, type Random } from '../../support/random.ts';
import { createRandomMoney, openRandomBooks, type RandomBooks } from '../../support/random-books.ts';
import { createRandomOrders, PATHS } from '../../support/random-orders.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../../support/scale.ts';

/**
 * Many concurrent actors create random orders and transfers on a real PostgreSQL, and the ledger is always consistent. The seed
 * repeats each actor's choices, but not how the database interleaves them.
 */
const SEED = newSeedFrom('LEDGER_SEED');
const ORDERS = scaled({ short: 300, long: 5_000 });
const ACTORS = 12;
const LPS = 8;
/** The average number of actions for each order. */
const ACTIONS_PER_ORDER = 25;
/** The number of open orders at a time. It is small, so that the actors compete. */
const LIVE = 40;
/** How often the test checks the ledger while the actors work. */
const LOOKS = 10;

let world: RandomBooks;
beforeAll(async () => {
  process.stderr.write(`\ntests: the seed of the random ledger is ${SEED} (LEDGER_SEED=${SEED} repeats it)`);
  world = await openRandomBooks(LPS);
});
afterAll(() => world.books.db.close());

const rowsOf = async <Row extends object>(sql: string): Promise<Row[]> =>
  (await world.books.db.pool.query(sql)).rows;

test(
  `random orders and money keep the ledger consistent (LEDGER_SEED=${SEED})`,
  async () => {
    const orders = createRandomOrders(world);
    const money = createRandomMoney(world);
    const { books, retryOnDisconnect, counts } = world;
    let actionCount = 0;
    let failed = false;

    const runAction = (random: Random): Promise<void> => {
      if (orders.live.length < LIVE && orders.all.length < ORDERS) return orders.create(random);
      const [what] = random.weighted(
        [
          [orders.move, 100],
          [orders.repeatPast, 6],
          [money.deposit, 3],
          [money.withdraw, 6],
          [money.decide, 5],
          [money.breakConnection, 0.5],
        ] as const,
        ([, weight]) => weight,
      );
      return what(random);
    };
    const actor = async (i: number) => {
      const random = createRandom(SEED + i);
      while (!failed && (orders.all.length < ORDERS || actionCount < ORDERS * ACTIONS_PER_ORDER)) {
        actionCount += 1;
        await runAction(random);
        if (actionCount % Math.floor((ORDERS * ACTIONS_PER_ORDER) / LOOKS) === 0) {
          // During the run: no statement that moves money is ever visible half done.
          expect(await retryOnDisconnect(() => ledgerFindings(books.db))).toEqual([]);
        }
      }
    };
    const running = Array.from({ length: ACTORS }, (_, i) =>
      actor(i).catch((error) => {
        failed = true;
        throw error;
      }),
    );
    // All actors have stopped before the final check.
    await Promise.allSettled(running);
    await Promise.all(running);

    expect(await retryOnDisconnect(() => ledgerFindings(books.db))).toEqual([]);
    await retryOnDisconnect(addUp);
    await retryOnDisconnect(historiesHold);
    // The run covered every transition and every kind of refusal.
    expect(PATHS.filter((path) => !orders.taken.has(path))).toEqual([]);
    expect(MISHAPS.filter((mishap) => !counts.has(mishap))).toEqual([]);
  },
  SCALED_TIMEOUT_MS,
);

const MISHAPS = [
  'stale',
  'already',
  'insufficient_collateral',
  'no_receive_address',
  'transaction_used',
  'slash_too_high',
  'order_frozen',
  'nothing_to_verify',
  'not_an_extension',
  'order_not_claimable',
  'late applied',
  'late stale',
  'payment replayed',
  'withdrawal replayed',
  'withdrawal_decided',
  'idempotency_conflict',
  'connection broken',
];

/** Computes the balances again, independently of the checks under test. */
async function addUp(): Promise<void> {
  const accounts = new Map<string, ReturnType<typeof decimal>>();
  const add = (name: string, amount: Parameters<typeof decimal>[0]) =>
    accounts.set(name, (accounts.get(name) ?? decimal(0)).add(amount));
  const transfers = await rowsOf<{ debit: string; credit: string; amount: string }>(
    'select debit, credit, amount from ledger_transfer',
  );
  for (const { debit, credit, amount } of transfers) {
    add(debit, decimal(amount).neg());
    add(credit, amount);
  }
  const balances = await rowsOf<{ lp_id: number; available: string; locked: string; withdrawing: string }>(
    'select * from lp_collateral',
  );
  const claims = await rowsOf<{ lp_id: number; status: string; collateral_locked: string }>(
    'select lp_id, status, collateral_locked from orders where collateral_locked is not null',
  );
  const unsettled: readonly string[] = UNSETTLED_STATUSES;
  let total = decimal(0);
  for (const { lp_id, available, locked, withdrawing } of balances) {
    const lockedPerClaim = claims
      .filter((order) => order.lp_id === lp_id && unsettled.includes(order.status))
      .reduce((sum, order) => sum.add(order.collateral_locked), decimal(0));
    const sums = [ACCOUNTS.lpAvailable, ACCOUNTS.lpLocked, ACCOUNTS.lpWithdrawing].map((name) =>
      (accounts.get(name(lp_id)) ?? decimal(0)).toFixed(6),
    );
    expect([available, locked, withdrawing]).toEqual(sums);
    expect(locked).toBe(lockedPerClaim.toFixed(6));
    for (const sum of sums) expect(decimal(sum).gte(0)).toBe(true);
    total = total.add(available).add(locked).add(withdrawing);
  }
  const summed = [ACCOUNTS.outside, ACCOUNTS.platformFees, ACCOUNTS.platformSlashed];
  for (const name of summed) total = total.add(accounts.get(name) ?? 0);
  expect(total.toFixed(6)).toBe('0.000000');

  const fees = await rowsOf<{ id: number; due: string; paid: string; times: number }>(`
    select o.id, case when o.status = 'completed' then o.fee_usd else 0 end as due,
      coalesce(sum(t.amount), 0) as paid, count(t.id)::int as times
    from orders o left join ledger_transfer t on t.order_id = o.id and t.credit = '${ACCOUNTS.platformFees}'
    group by o.id`);
  for (const { due, paid, times } of fees) {
    expect([Number(paid), times]).toEqual([Number(due), Number(due) > 0 ? 1 : 0]);
  }
}

/** Expects that each order's events have no gap, and that one request caused each event except the first. */
async function historiesHold(): Promise<void> {
  const torn = await rowsOf(`
    select o.id, o.version, e.events, e.last, a.applied
    from orders o
    join (
      select order_id, count(*) as events, max(seq) as last,
        bool_and(from_status is not distinct from previous) as chained
      from (
        select *, lag(status) over (partition by order_id order by seq) as previous from order_event
      ) chain
      group by order_id
    ) e on e.order_id = o.id
    left join (
      select order_id, count(*) as applied from order_outcome where result = 'applied' group by order_id
    ) a on a.order_id = o.id
    where o.version <> e.events or o.version <> e.last or not e.chained
      or o.version <> coalesce(a.applied, 0) + 1`);
  expect(torn).toEqual([]);
}

import { afterAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import type { Command } from '../../src/domain/order-commands.ts';
import { isFinal } from '../../src/domain/order-state.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { claimBy, KES, openFloatBooks } from '../support/float-books.ts';
import { takeStep } from '../support/take-step.ts';
import { countDeadlocks, countWaiting, endWaiting } from '../support/waiting-statements.ts';

/** LPs' floats with concurrent claims, and with connections that break during a step. */
const books = await openFloatBooks();
afterAll(() => books.db.close());

const AMOUNT = '1295';
const AMOUNT_CENTS = 129_500;
const query = async (sql: string, values: unknown[] = []) => (await books.db.pool.query(sql, values)).rows;
const locked = async (lpId: number) =>
  Number((await query('select locked from lp_collateral where lp_id = $1', [lpId]))[0].locked);
const times = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)));
const releaseBy = (lpId: number): Command => ({
  trigger: 'release',
  lpId,
  freeSince: new Date(0).toISOString(),
});

const HOLD_TERMS = 'select from lp_term where lp_id = $1 and currency = $2 and method = $3 for update';

/** Runs work while no other transaction can change the LP's terms. A step then waits in its trigger, after all its writes. */
async function whileTermsHeld<T>(lpId: number, work: (holder: pg.PoolClient) => Promise<T>): Promise<T> {
  const holder = await books.db.pool.connect();
  try {
    await holder.query('begin');
    await holder.query(HOLD_TERMS, [lpId, KES.currency, KES.method]);
    return await work(holder);
  } finally {
    holder.release(true);
  }
}

describe('64 concurrent claims on one float', () => {
  const ORDERS = 64;

  test.each([0, 1, 23, 64])('that covers %i of the orders: this many succeed', async (covered) => {
    const lp = await books.newFloatLp(String(Number(AMOUNT) * covered + 0.99));
    const orders = await times(ORDERS, () => books.open(lp, AMOUNT));
    const reports = await times(ORDERS, (i) => takeStep(books.db, 'claim', orders[i] ?? 0, claimBy(lp)));
    const results = reports.map(({ result }) => result);
    expect(results.filter((result) => result === 'applied')).toHaveLength(covered);
    expect(results.filter((result) => result === 'outside_terms')).toHaveLength(ORDERS - covered);
    expect(await books.floatOf(lp)).toEqual({ available: 99, reserved: covered * AMOUNT_CENTS });
    expect(await locked(lp)).toBe(covered * 10);
    expect(await books.reservedFor(lp)).toBe(covered * AMOUNT_CENTS);
  });

  test('that all begin before the first of them commits: the float never falls below zero', async () => {
    const lp = await books.newFloatLp(String(Number(AMOUNT) * 5));
    const orders = await times(12, () => books.open(lp, AMOUNT));
    const claims = await whileTermsHeld(lp, async (holder) => {
      const begun = times(12, (i) => takeStep(books.db, 'claim', orders[i] ?? 0, claimBy(lp)));
      await eventuallyEquals(() => countWaiting(books.db.pool), 12);
      await holder.query('commit');
      return begun;
    });
    expect(claims.map(({ result }) => result).sort()).toEqual([
      ...Array(5).fill('applied'),
      ...Array(7).fill('outside_terms'),
    ]);
    expect(await books.floatOf(lp)).toEqual({ available: 0, reserved: 5 * AMOUNT_CENTS });
    expect(await locked(lp)).toBe(50);
  });

  test('with concurrent releases, ends of orders and top-ups: nothing waits forever, and the float adds up', async () => {
    const lps = await times(2, () => books.newFloatLp('12950'));
    const orders = await times(ORDERS, (i) => books.open(lps[i % 2] ?? 0, AMOUNT));
    const put = lps.map(() => 10 * AMOUNT_CENTS);
    const topUps = times(16, async (i) => {
      const which = i % 2;
      const lpId = lps[which] ?? 0;
      // The LP adds to the float that it has read. If an order has changed the float meanwhile, the LP reads it again.
      for (;;) {
        const available = ((await books.floatOf(lpId)).available ?? 0) / 100;
        const change = { expected_float: String(available), float: String(available + 2_590) };
        const code = await books.publish(lpId, change).then(
          () => undefined,
          (error) => error.code,
        );
        if (code === 'float_changed') continue;
        expect(code).toBeUndefined();
        put[which] = (put[which] ?? 0) + 2 * AMOUNT_CENTS;
        return;
      }
    });
    const used = lps.map(() => 0);
    const lifecycles = times(ORDERS, async (i) => {
      const orderId = orders[i] ?? 0;
      // After a release, the other LP claims.
      const [first, second] = i % 4 < 2 ? [0, 1] : [1, 0];
      for (const which of [first, second]) {
        const lpId = lps[which] ?? 0;
        const { result } = await books.attempt(orderId, claimBy(lpId));
        expect(['applied', 'outside_terms']).toContain(result);
        if (result !== 'applied') return;
        if (which === first && i % 3 > 0) await books.attempt(orderId, releaseBy(lpId));
        else {
          await books.apply(orderId, { trigger: 'fiatSent', lpId });
          await books.apply(orderId, { trigger: 'dispute', by: 'agent' });
          const outcome = i % 2 === 0 ? 'completed' : 'cancelled';
          await books.apply(orderId, { trigger: 'resolve', outcome, slashUsd: '0', txHash: null });
          if (outcome === 'completed') used[which] = (used[which] ?? 0) + AMOUNT_CENTS;
          return;
        }
      }
    });
    await Promise.all([topUps, lifecycles]);
    for (const [which, lpId] of lps.entries()) {
      const { available, reserved } = await books.floatOf(lpId);
      expect(reserved).toBe(await books.reservedFor(lpId));
      expect((available ?? 0) + reserved + (used[which] ?? 0)).toBe(put[which]);
    }
    expect(used.every((sum) => sum > 0)).toBe(true);
    expect(await countDeadlocks(books.db.pool)).toBe(0);
  });
});

/** Sequences of commands on an order. The last command changes the float. */
const ENDINGS: [string, (orderId: number, lpId: number) => Promise<Command>][] = [
  ['a claim', async (_, lpId) => claimBy(lpId)],
  [
    'a release',
    async (orderId, lpId) => {
      await books.apply(orderId, claimBy(lpId));
      return releaseBy(lpId);
    },
  ],
  [
    'a completion',
    async (orderId, lpId) => {
      await books.apply(orderId, claimBy(lpId));
      await books.apply(orderId, { trigger: 'fiatSent', lpId });
      await books.apply(orderId, { trigger: 'confirm' });
      await books.apply(orderId, { trigger: 'settle', txHash: `dd${orderId}`, txHashGiven: `dd${orderId}` });
      await books.check(orderId, 'verified');
      return { trigger: 'verified', version: 5, note: null };
    },
  ],
  [
    'a resolution against the LP',
    async (orderId, lpId) => {
      await books.apply(orderId, claimBy(lpId));
      await books.apply(orderId, { trigger: 'dispute', by: 'agent' });
      return { trigger: 'resolve', outcome: 'cancelled', slashUsd: '2.00', txHash: null };
    },
  ],
  [
    'the end of an order whose agent’s key is revoked',
    async (orderId, lpId) => {
      await books.apply(orderId, claimBy(lpId));
      await books.apply(orderId, { trigger: 'expireNow', version: 2 });
      await books.revokeAgentOf(orderId);
      return { trigger: 'deadline', version: 3 };
    },
  ],
];

const everything = async (orderId: number, lpId: number) => ({
  float: await books.floatOf(lpId),
  reserved: await books.reservedFor(lpId),
  state: await books.state(orderId),
  collateral: await query('select * from lp_collateral where lp_id = $1', [lpId]),
  transfers: await query('select count(*) from ledger_transfer where order_id = $1', [orderId]),
  events: await query('select count(*) from order_event where order_id = $1', [orderId]),
});

describe.each(ENDINGS)('%s whose connection breaks', (_, prepare) => {
  test('before its commit changes nothing, and its repetition counts once', async () => {
    const lp = await books.newFloatLp('2000');
    const orderId = await books.open(lp, AMOUNT);
    const command = await prepare(orderId, lp);
    const before = await everything(orderId, lp);
    await whileTermsHeld(lp, async () => {
      const broken = expect(books.attempt(orderId, command)).rejects.toThrow('terminat');
      await eventuallyEquals(() => countWaiting(books.db.pool), 1);
      await endWaiting(books.db.pool);
      await broken;
    });
    expect(await everything(orderId, lp)).toEqual(before);

    const applied = await books.attempt(orderId, command);
    expect(applied.result).toBe('applied');
    const { status, lpId } = await books.state(orderId);
    const isReserved = !isFinal(status) && lpId === lp && status !== 'matched';
    const spent = status === 'completed' ? AMOUNT_CENTS : 0;
    const reserved = isReserved ? AMOUNT_CENTS : 0;
    expect(await books.floatOf(lp)).toEqual({ available: 200_000 - reserved - spent, reserved });

    // As after a crash between the commit and its response.
    const after = await everything(orderId, lp);
    expect(await books.repeat(applied)).toBe('applied');
    expect(await everything(orderId, lp)).toEqual(after);
  });
});

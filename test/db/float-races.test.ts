import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Command } from '../../src/domain/order-commands.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import { cents, claimBy, openFloatBooks } from '../support/float-books.ts';

/**
 * Random batches of concurrent requests: claims, ends of claims, and LPs that change the float that they have read. Their
 * sequence is unknown. But the LPs' float is always available, reserved or used, and no request waits forever.
 */
const books = await openFloatBooks();
afterAll(() => books.db.close());

const AMOUNTS = ['1295', '2590', '0.01', '647.5'];
const request = fc.record({
  kind: fc.constantFrom('order', 'order', 'order', 'topUp', 'spend', 'band'),
  order: fc.nat(7),
  lp: fc.nat(1),
  choice: fc.nat(11),
  amount: fc.constantFrom(...AMOUNTS),
});
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;
const batches = fc.array(fc.array(request, { minLength: 8, maxLength: 20, size: 'max' }), {
  minLength: 4,
  maxLength: 8,
  size: 'max',
});

const NEXT: Partial<Record<OrderState['status'], ((lpId: number) => Command)[]>> = {
  matched: [claimBy],
  claimed: [
    (lpId) => ({ trigger: 'release', lpId, freeSince: new Date(0).toISOString() }),
    (lpId) => ({ trigger: 'fiatSent', lpId }),
    () => ({ trigger: 'dispute', by: 'agent' }),
  ],
  fiat_sent: [() => ({ trigger: 'dispute', by: 'agent' })],
  disputed: (['completed', 'cancelled'] as const).map((outcome) => () => ({
    ...{ trigger: 'resolve', outcome, slashUsd: '0', txHash: null },
  })),
};

interface LpModel {
  id: number;
  /** Cents that the LP has added, less those that it has removed. */
  put: number;
}
/** The number of successful requests by kind, and of conflicts because the float had changed since it was read. */
const seen = { claims: 0, ends: 0, changes: 0, conflicts: 0 };

/** Carries out a command that the order's state allows, unless another request is faster. */
async function move(orderId: number, lpId: number, choice: number): Promise<void> {
  const state = await books.state(orderId);
  const commands = NEXT[state.status] ?? [];
  const command = commands[choice % commands.length]?.(
    state.status === 'matched' ? lpId : (state.lpId ?? lpId),
  );
  if (!command) return;
  const { result, step } = await books.attempt(orderId, command);
  if (result !== 'applied') return;
  if (step === 'claim') seen.claims += 1;
  else seen.ends += 1;
}

async function changeFloat(lp: LpModel, by: number): Promise<void> {
  const { available } = await books.floatOf(lp.id);
  const float = (available ?? 0) + by;
  if (float < 0) return;
  const expected_float = String((available ?? 0) / 100);
  const code = await books.publish(lp.id, { expected_float, float: String(float / 100) }).then(
    () => undefined,
    (error) => error.code,
  );
  if (code === undefined) {
    lp.put += by;
    seen.changes += 1;
  } else {
    expect(code).toBe('float_changed');
    seen.conflicts += 1;
  }
}

function carryOut(lps: LpModel[], orders: number[], { kind, order, lp: which, choice, amount }: Request) {
  const lp = lps[which] as LpModel;
  if (kind === 'order') return move(orders[order] ?? 0, lp.id, choice);
  // Concurrent changes of other terms do not change the float.
  if (kind === 'band') return books.publish(lp.id, { max: choice > 2 ? null : amount });
  return changeFloat(lp, kind === 'topUp' ? cents(amount) : -cents(amount));
}

async function expectNothingLost(lps: LpModel[]): Promise<void> {
  for (const { id, put } of lps) {
    const { available, reserved } = await books.floatOf(id);
    const { rows } = await books.db.pool.query(
      `select coalesce(sum(amount_fiat) * 100, 0)::int as used from orders where lp_id = $1 and status = 'completed'`,
      [id],
    );
    expect(reserved).toBe(await books.reservedFor(id));
    expect((available ?? 0) + reserved + rows[0].used).toBe(put);
  }
}

test('no fiat of a float is lost or counted twice, whatever happens at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      const lps: LpModel[] = [];
      for (const float of ['2590', '5180'])
        lps.push({ id: await books.newFloatLp(float), put: cents(float) });
      const orders: number[] = [];
      for (const amount of [...AMOUNTS, ...AMOUNTS]) orders.push(await books.open(lps[0]?.id ?? 0, amount));
      for (const batch of all) {
        await Promise.all(batch.map((one) => carryOut(lps, orders, one)));
        await expectNothingLost(lps);
      }
    }),
    // A smaller history may not have the same race.
    { numRuns: 25, endOnFailure: true },
  );
  // The histories contained every kind of request, and conflicts.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
}, 300_000);

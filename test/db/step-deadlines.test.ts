import { afterAll, describe, expect, test } from '@jest/globals';
import type { Command } from '../../src/domain/order-commands.ts';
import { type OrderStatus, type StepName, TRANSITIONS } from '../../src/domain/order-state.ts';
import type { StepInput } from '../../src/domain/order-steps.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { openBooks } from '../support/books.ts';
import { stateOf, stepInput, takeStep } from '../support/take-step.ts';

/** Deadlines by the database's clock, in every status that has one. */
const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());

const newOrder = async (): Promise<number> => {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  return draft.id;
};
/** The happy path up to the verification. */
const WAYS: [StepName, (lpId: number) => Command][] = [
  ['claim', (lpId) => ({ trigger: 'claim', lpId, validUntil: 'infinity' })],
  ['markFiatSent', (lpId) => ({ trigger: 'fiatSent', lpId })],
  ['confirm', () => ({ trigger: 'confirm' })],
  ['settle', () => ({ trigger: 'settle', txHash: 'ab', txHashGiven: 'ab' })],
];
/** The statuses that a deadline ends, and the deadline's step. An escalation needs two earlier failures. */
const EARLY = TRANSITIONS.flatMap(
  ({ from, trigger, step, found, escalation }): [OrderStatus, StepName, number][] =>
    // `receipt-deadlines.test.ts` tests those with a finding.
    trigger === 'deadline' && !found
      ? [
          [from, step, 0],
          ...(escalation
            ? [[from, escalation.step, escalation.after] as [OrderStatus, StepName, number]]
            : []),
        ]
      : [],
);
const moveDeadline = (id: number, by: string) =>
  books.db.pool.query('update orders set timeout_at = now() + $2::interval where id = $1', [id, by]);

/** Takes a new order to the status `from` and returns the input of its deadline's step. */
async function deadlineStep(from: OrderStatus, reoffers: number): Promise<StepInput> {
  const id = await newOrder();
  for (const [step, command] of WAYS) {
    if ((await stateOf(books.db, id)).status === from) break;
    expect(await takeStep(books.db, step, id, command(lp))).toMatchObject({ result: 'applied' });
  }
  await books.db.pool.query('update orders set reoffers = $2 where id = $1', [id, reoffers]);
  return stepInput(books.db, id, { trigger: 'deadline', version: (await stateOf(books.db, id)).version });
}
const count = async (table: string, orderId: number) => {
  const { rows } = await books.db.pool.query(`select count(*)::int as n from ${table} where order_id = $1`, [
    orderId,
  ]);
  return rows[0]?.n;
};
const locked = async () =>
  (await books.db.pool.query('select locked::float from lp_collateral where lp_id = $1', [lp])).rows[0];

describe('a deadline', () => {
  test.each(EARLY)('that has not passed does nothing: in %s, %s', async (...way) => {
    const [from, step, reoffers] = way;
    // Temporal's clock is half an hour ahead of the database's.
    const early = await deadlineStep(from, reoffers);
    const {
      orderId: id,
      state: { version },
    } = early;
    const before = await locked();
    await moveDeadline(id, '30 minutes');
    const report = await performStep(books.db, step, early, NO_LIMITS);
    expect(report).toMatchObject({ result: 'not_yet', state: { version, status: from } });
    expect(report.dueInMs).toBeGreaterThan(29 * 60_000);
    expect(report.dueInMs).toBeLessThanOrEqual(30 * 60_000);
    expect([await count('lp_strike', id), await count('order_event', id)]).toEqual([0, version]);
    expect([await count('order_outcome', id), await locked()]).toEqual([version - 1, before]);
    // The same request is carried out once the deadline has passed.
    await moveDeadline(id, '-1 second');
    expect(await performStep(books.db, step, early, NO_LIMITS)).toMatchObject({ result: 'applied' });
    expect(await count('lp_strike', id)).toBe(from === 'claimed' ? 1 : 0);
  });

  test.each(EARLY)('that passes before the row is read back is due again: in %s, %s', async (...way) => {
    const [from, step, reoffers] = way;
    const input = await deadlineStep(from, reoffers);
    await moveDeadline(input.orderId, '30 minutes');
    const db: typeof books.db = {
      ...books.db,
      query: async (...query) => {
        const rows = await books.db.query(...query);
        if (query[0] === `step-${step}`) await moveDeadline(input.orderId, '-1 second');
        return rows as never;
      },
    };
    expect(await performStep(db, step, input, NO_LIMITS)).toMatchObject({
      // This finding leads the workflow to the same step.
      result: step === 'cancelUnpaid' ? 'not_reofferable' : 'stale',
      state: { status: from },
    });
    expect(await performStep(books.db, step, input, NO_LIMITS)).toMatchObject({ result: 'applied' });
  });
});

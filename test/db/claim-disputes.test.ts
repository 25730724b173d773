import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { openBooks } from '../support/books.ts';
import { editEvents } from '../support/edit-events.ts';
import { stepInput } from '../support/take-step.ts';

let id: number;
/** The time from which an agent may dispute an order that its LP has claimed and not reported as paid. */
const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());
beforeEach(async () => {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  id = draft.id;
  await books.apply(id, { trigger: 'claim', lpId: lp, validUntil: 'infinity' });
});

const MINUTE = 60_000;
const age = (seconds: number) =>
  editEvents(
    books.db.pool,
    `update order_event set created_at = created_at - $2 * interval '1 second' where order_id = $1`,
    [id, seconds],
  );
async function dispute(disputeAfter = 10 * MINUTE) {
  const input = await stepInput(books.db, id, { trigger: 'dispute', by: 'agent' }, 'agent:1');
  return (await performStep(books.db, 'openDispute', input, { ...NO_LIMITS, disputeAfter })).result;
}

test('not before the time that the LP has, and from then on', async () => {
  expect(await dispute()).toBe('dispute_too_early');
  // Well before ten minutes, because the test itself takes time.
  await age(9 * 60);
  expect(await dispute()).toBe('dispute_too_early');
  await age(60);
  expect(await dispute()).toBe('applied');
});

test('an extension of the deadline does not restart the time', async () => {
  await age(10 * 60);
  const until = new Date(Date.now() + 60 * MINUTE).toISOString();
  await books.apply(id, { trigger: 'extend', until });
  expect(await dispute()).toBe('applied');
});

test('once the LP’s time for the fiat has passed, although its deadline was extended', async () => {
  await age(20 * 60);
  expect(await dispute(24 * 60 * MINUTE)).toBe('dispute_too_early');
  await books.db.pool.query(`update orders set stage_ms[2] = $2 where id = $1`, [id, 20 * MINUTE]);
  expect(await dispute(24 * 60 * MINUTE)).toBe('applied');
});

test('a repetition of the same request gets the same result', async () => {
  const input = await stepInput(books.db, id, { trigger: 'dispute', by: 'agent' }, 'agent:1');
  const settings = { ...NO_LIMITS, disputeAfter: 10 * MINUTE };
  const openDispute = async () => (await performStep(books.db, 'openDispute', input, settings)).result;
  expect(await Promise.all(Array.from({ length: 8 }, openDispute))).toEqual(
    Array(8).fill('dispute_too_early'),
  );
  await age(60 * 60);
  expect(await openDispute()).toBe('dispute_too_early');
  expect(await dispute()).toBe('applied');
});

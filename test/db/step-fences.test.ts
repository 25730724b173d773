import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import type { StepInput } from '../../src/domain/order-steps.ts';
import { performStep, recordAnswers } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { openBooks } from '../support/books.ts';
import { stepInput, takeStep } from '../support/take-step.ts';

/** Late steps and answers. A single condition of its statement stops each of them. */
const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());

const run = (sql: string, values: unknown[] = []) => books.db.pool.query(sql, values);

/** An order that is open at version 2: its claim deadline was extended. */
async function extendedOrder(): Promise<number> {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  const until = new Date(Date.now() + 7_200_000).toISOString();
  await takeStep(books.db, 'extendDeadline', draft.id, { trigger: 'extend', until }, 'admin');
  return draft.id;
}
const claimAt = async (orderId: number, version: number): Promise<StepInput> => {
  const command = { trigger: 'claim', lpId: lp, validUntil: 'infinity' } as const;
  const input = await stepInput(books.db, orderId, command, `lp:${lp}`);
  return { ...input, state: { ...input.state, version } };
};
const counts = async (orderId: number) => {
  const { rows } = await run(
    `select (select count(*)::int from order_event where order_id = $1) as events,
       (select count(*)::int from order_outcome where order_id = $1) as outcomes,
       (select locked::float from lp_collateral where lp_id = $2) as locked`,
    [orderId, lp],
  );
  return rows[0];
};

test('a step for an old version is stale, though the order is in its status', async () => {
  const id = await extendedOrder();
  const before = await counts(id);
  const report = await performStep(books.db, 'claim', await claimAt(id, 1), NO_LIMITS);
  expect(report).toMatchObject({ result: 'stale', state: { version: 2, status: 'matched' } });
  expect(await counts(id)).toEqual(before);
  const now = await performStep(books.db, 'claim', await claimAt(id, 2), NO_LIMITS);
  expect(now.result).toBe('applied');
});

test('an answer for an old version is stale, though the order is in its status', async () => {
  const id = await extendedOrder();
  const before = await counts(id);
  const answers = [{ requestId: randomUUID(), result: 'wrong_state' as const }];
  expect((await recordAnswers(books.db, { ...(await claimAt(id, 1)), answers })).result).toBe('stale');
  expect(await counts(id)).toEqual(before);
  expect((await recordAnswers(books.db, { ...(await claimAt(id, 2)), answers })).result).toBe('recorded');
});

test('a deadline that passed while the service was unavailable does not expire', async () => {
  const id = await extendedOrder();
  await run(`update orders set timeout_at = now() - interval '1 second' where id = $1`, [id]);
  const input = await stepInput(books.db, id, { trigger: 'deadline', version: 2 });
  const expire = async () => (await performStep(books.db, 'cancelUnclaimed', input, NO_LIMITS)).result;
  await run(
    `insert into service_heartbeat (recorded_at, good_until)
     values (now() - interval '1 hour', now() - interval '59 minutes')`,
  );
  expect(await expire()).toBe('clock_stopped');
  await run('delete from service_heartbeat');
  expect(await expire()).toBe('applied');
});

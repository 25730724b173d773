import { afterAll, expect, test } from '@jest/globals';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { openBooks } from '../support/books.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { insertAgent } from '../support/rows.ts';
import { takeStep } from '../support/take-step.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** Statements that all wait in the database at the same time. Each order is worth 10 USD. */
const CONCURRENT = 12;

const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());

const limited = async (usd: number) => {
  const { agentKeyId } = await insertAgent(books.db);
  await limit(agentKeyId, usd);
  return agentKeyId;
};
const limit = (agentKeyId: number, usd: number) =>
  books.db.pool.query('update agent_key set max_exposure_usd = $2 where id = $1', [agentKeyId, usd]);
const draftOf = async (agent_key_id: number) => ({ ...(await books.draft(lp, '1295')), agent_key_id });

/** Locks a row that the statements need after their check, and waits until `count` of them wait. */
async function whileHeld<T>(
  row: string,
  count: number,
  begin: () => Promise<T>,
  during?: () => Promise<unknown>,
) {
  const holder = await books.db.pool.connect();
  try {
    await holder.query('begin');
    await holder.query(`${row} for update`);
    const begun = begin();
    await eventuallyEquals(() => countWaiting(books.db.pool), count);
    await during?.();
    await holder.query('commit');
    return await begun;
  } finally {
    holder.release(true);
  }
}
const together = <T>(row: string, work: (i: number) => Promise<T>) =>
  whileHeld(row, CONCURRENT, () => Promise.allSettled(Array.from({ length: CONCURRENT }, (_, i) => work(i))));

test('payments that begin before the others commit stay within the limit', async () => {
  const agent = await limited(50);
  const drafts = await Promise.all(Array.from({ length: CONCURRENT }, () => draftOf(agent)));
  const payer = `select from app_user where id = ${drafts[0]?.user_id}`;
  const results = await together(payer, async (i) => books.create(drafts[i] as NewOrder));
  const refusals = results.filter((result) => result.status === 'rejected');
  expect(results.length - refusals.length).toBe(5);
  for (const { reason } of refusals) expect(reason).toMatchObject({ code: 'exposure_exceeded' });
});

test('claims that begin before the others commit stay within a lowered limit', async () => {
  const agent = await limited(0);
  const drafts = await Promise.all(Array.from({ length: CONCURRENT }, () => draftOf(agent)));
  for (const draft of drafts) await books.create(draft);
  await limit(agent, 30);
  const results = await together(`select from lp_collateral where lp_id = ${lp}`, (i) =>
    takeStep(books.db, 'claim', drafts[i]?.id ?? 0, { trigger: 'claim', lpId: lp, validUntil: 'infinity' }),
  );
  const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value.result : 'failed'));
  expect(outcomes.filter((outcome) => outcome === 'applied')).toHaveLength(3);
  expect(outcomes.filter((outcome) => outcome === 'agent_exposure_exceeded')).toHaveLength(CONCURRENT - 3);
});

test('claims of an agent whose live orders are within its limit do not wait for its payments', async () => {
  const agent = await limited(50);
  const [paid, open] = [await draftOf(agent), await draftOf(agent)];
  await books.create(open);
  const payer = `select from app_user where id = ${paid.user_id}`;
  const claimed = () => books.apply(open.id, { trigger: 'claim', lpId: lp, validUntil: 'infinity' });
  expect(await whileHeld(payer, 1, () => books.create(paid), claimed)).toBe(true);
});

test('the sum of an agent’s live orders reads an index that holds only live orders', async () => {
  const client = await books.db.pool.connect();
  try {
    await client.query('begin; set local enable_seqscan = off');
    const { rows } = await client.query(
      `explain select coalesce(sum(amount_usd), 0) from orders
       where agent_key_id = 1 and status not in ('matched', 'completed', 'cancelled')`,
    );
    expect(JSON.stringify(rows)).toContain('orders_agent_live');
  } finally {
    await client.query('rollback');
    client.release();
  }
});

import { afterAll, describe, expect, test } from '@jest/globals';
import { createOrder } from '../../src/orders/create-order.ts';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { openBooks } from '../support/books.ts';
import { insertAgent } from '../support/rows.ts';

/** The checks of the statement that creates an order. The API checks the same things earlier. */
const books = await openBooks();
const lpId = await books.newLp();
afterAll(() => books.db.close());

/** Inserts an unused rate lock. `changes` replace columns, as SQL. */
async function lockFor(draft: NewOrder, changes: Record<string, string> = {}): Promise<string> {
  const id = `rl_${draft.id}`;
  const columns: Record<string, string> = {
    expires_at: `now() + interval '1 hour'`,
    order_id: 'null',
    ...changes,
  };
  await books.db.pool.query(
    `insert into rate_lock (id, agent_key_id, lp_id, rate_usd, spread_bps, amount_fiat, currency, method, amount_usd, fee_usd,
       amount_crypto, crypto_symbol, crypto_chain, ${Object.keys(columns)})
     values ($1, $2, $3, 129.5, 0, 1295, 'KES', 'mobile_money', 10, 0.05, $4, 'usdt', 'trx', ${Object.values(columns)})`,
    [id, draft.agent_key_id, lpId, draft.amount_crypto],
  );
  return id;
}

describe('no order is created with', () => {
  const expectNone = async (draft: NewOrder, lockId: string) => {
    expect(await createOrder(books.db, draft, null, lockId)).toBeUndefined();
    expect(await books.exists(draft.id)).toBe(false);
  };

  test('the rate lock of another agent', async () => {
    const draft = await books.draft(lpId, '1295');
    const { agentKeyId } = await insertAgent(books.db);
    await expectNone({ ...draft, agent_key_id: agentKeyId }, await lockFor(draft));
    expect(await createOrder(books.db, draft, null, `rl_${draft.id}`)).toBeDefined();
  });

  test('a rate lock that has expired', async () => {
    const draft = await books.draft(lpId, '1295');
    await expectNone(draft, await lockFor(draft, { expires_at: `now() - interval '1 second'` }));
  });

  test('a rate lock that was used', async () => {
    const [first, draft] = [await books.draft(lpId, '1295'), await books.draft(lpId, '1295')];
    const lockId = await lockFor(first);
    expect(await createOrder(books.db, first, null, lockId)).toBeDefined();
    await expectNone(draft, lockId);
  });
});

// The last test, because it revokes the agent key of the books.
test('an agent whose key is revoked between the request and the statement gets no order and keeps its idempotency key', async () => {
  const [order, before] = [await books.draft(lpId, '1295'), await books.draft(lpId, '1295')];
  const replay = { key: 'late', requestHash: Buffer.from('late'), response: {} as never };
  expect(await books.create(before)).toBe(true);
  await books.db.pool.query('update agent_key set is_active = false');
  for (const given of [replay, null])
    await expect(books.create(order, given)).rejects.toMatchObject({ code: 'agent_key_invalid' });
  expect(await books.exists(order.id)).toBe(false);
  expect((await books.db.pool.query('select from idempotency_key')).rowCount).toBe(0);
});

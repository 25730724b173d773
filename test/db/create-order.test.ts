import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Books, openBooks } from '../support/books.ts';

/** What the creating statement itself checks: the API's own look comes earlier. */
let books: Books;
let lpId: number;
beforeAll(async () => {
  books = await openBooks();
  lpId = await books.newLp();
});
afterAll(() => books.db.close());

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

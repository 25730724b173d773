import { afterAll, expect, test } from '@jest/globals';
import { serviceFacts } from '../../src/operations/statistics/service-facts.ts';
import { freezeAfterLoss } from '../../src/orders/steps/freeze-after-loss.ts';
import { createLogger } from '../../src/process/log.ts';
import { openBooks } from '../support/books.ts';
import { editEvents } from '../support/edit-events.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';

/** The facts that the metrics read from the database, about orders whose ages the tests set. */

const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());

const HOUR = 3_600;
const sql = (text: string, values: unknown[]) => books.db.pool.query(text, values);
const validUntil = new Date(Date.now() + 600_000).toISOString();

async function order(callback_url: string | null = null): Promise<number> {
  const draft = await books.draft(lp, '1295');
  await books.create({ ...draft, callback_url });
  return draft.id;
}
/** Moves an order's history this many seconds into the past. */
const age = (orderId: number, seconds: number) =>
  editEvents(
    books.db.pool,
    `update order_event set created_at = created_at - $2 * interval '1 second' where order_id = $1`,
    [orderId, seconds],
  );
const claim = (orderId: number) => books.apply(orderId, { trigger: 'claim', lpId: lp, validUntil });
/** The test itself takes time, and the columns keep milliseconds, so a time may be rounded up by less than one. */
const about = (seconds: number) => ({
  asymmetricMatch: (given: unknown) =>
    typeof given === 'number' && given >= seconds - 0.001 && given < seconds + 600,
});

test('without orders, every fact is 0', async () => {
  expect(await serviceFacts(books.db)).toEqual({
    orders: {
      ...{ matched: 0, claimed: 0, fiat_sent: 0, confirmed: 0 },
      ...{ crypto_verify_pending: 0, completed: 0, cancelled: 0, disputed: 0 },
    },
    oldest: { matched: 0, claimed: 0, fiat_sent: 0, confirmed: 0, crypto_verify_pending: 0, disputed: 0 },
    oldestVerification: {},
    overdue: 0,
    oldestForAdmin: 0,
    feedDelay: 0,
    webhooks: { pending: 0, oldest: 0 },
    pauses: { all: 0, currency: 0, agent: 0 },
    incidents: { currency: 0, chain: 0 },
    processes: { api: 0, worker: 0 },
  });
});

test('the age of a status counts from the change to it', async () => {
  const [old, young, moved] = [await order(), await order(), await order()];
  await age(old, 3 * HOUR);
  await age(young, HOUR);
  await age(moved, 9 * HOUR);
  await claim(moved);
  const { orders, oldest } = await serviceFacts(books.db);
  expect(orders).toMatchObject({ matched: 2, claimed: 1 });
  expect(oldest).toMatchObject({ matched: about(3 * HOUR), claimed: about(0), fiat_sent: 0 });

  // An event without a change of status does not reset the age.
  await books.apply(old, { trigger: 'freeze' });
  expect((await serviceFacts(books.db)).oldest.matched).toEqual(about(3 * HOUR));
});

test('an open transaction delays the feed by the age of the oldest event that came after it', async () => {
  const delay = async () => (await serviceFacts(books.db)).feedDelay;
  await waitForOlderTransactions(books.db);
  const forgotten = await books.db.pool.connect();
  try {
    await forgotten.query('begin');
    await forgotten.query('select pg_current_xact_id()');
    await age(await order(), HOUR);
    expect(await delay()).toEqual(about(HOUR));
  } finally {
    await forgotten.query('rollback');
    forgotten.release();
  }
  // Transactions of other tests on this server delay it too.
  await eventuallyEquals(delay, 0);
});

test('a payment under verification is counted by its chain', async () => {
  const id = await order();
  await claim(id);
  await books.apply(id, { trigger: 'fiatSent', lpId: lp });
  await books.apply(id, { trigger: 'confirm' });
  await books.apply(id, { trigger: 'settle', txHash: 'hash', txHashGiven: 'hash' });
  await age(id, 2 * HOUR);
  const { oldestVerification, oldest } = await serviceFacts(books.db);
  expect(oldestVerification).toEqual({ trx: about(2 * HOUR) });
  expect(oldest.crypto_verify_pending).toEqual(about(2 * HOUR));
});

test('a dispute before any fiat is counted by its age, and a later dispute is not', async () => {
  const [early, late] = [await order(), await order()];
  for (const id of [early, late]) await claim(id);
  await books.apply(late, { trigger: 'fiatSent', lpId: lp });
  for (const id of [early, late]) await books.apply(id, { trigger: 'dispute', by: 'agent' });
  await age(late, 9 * HOUR);
  expect((await serviceFacts(books.db)).oldestForAdmin).toEqual(about(0));
  await age(early, 2 * HOUR);
  expect((await serviceFacts(books.db)).oldestForAdmin).toEqual(about(2 * HOUR));
});

test('a frozen order waits for an admin from the freeze until it is unfrozen: frozen by an LP, an admin or lost commits', async () => {
  const [contested, stopped, lost] = [await order(), await order(), await order()];
  await claim(stopped);
  await age(stopped, 9 * HOUR);
  for (const id of [contested, stopped]) await books.apply(id, { trigger: 'freeze' });
  expect((await serviceFacts(books.db)).oldestForAdmin).toEqual(about(2 * HOUR));
  await age(contested, 3 * HOUR);
  expect((await serviceFacts(books.db)).oldestForAdmin).toEqual(about(3 * HOUR));
  await books.apply(contested, { trigger: 'unfreeze' });
  await age(stopped, 2.5 * HOUR);
  expect((await serviceFacts(books.db)).oldestForAdmin).toEqual(about(2.5 * HOUR));
  await books.apply(stopped, { trigger: 'unfreeze' });
  const seen = { version: 5, status: 'claimed' as const };
  await freezeAfterLoss({ db: books.db, log: createLogger('silent') }, lost, seen);
  await age(lost, 4 * HOUR);
  expect((await serviceFacts(books.db)).oldestForAdmin).toEqual(about(4 * HOUR));
  await books.apply(lost, { trigger: 'unfreeze' });
});

test('an order is overdue from its deadline on, unless its clock is frozen', async () => {
  const id = await order();
  await sql(`update orders set timeout_at = now() - interval '2 hours' where id = $1`, [id]);
  expect((await serviceFacts(books.db)).overdue).toEqual(about(2 * HOUR));
  await sql('update orders set frozen_ms = 1 where id = $1', [id]);
  expect((await serviceFacts(books.db)).overdue).toBe(0);
});

test('the age of a pending webhook counts from the event; a redelivery has no age', async () => {
  const [first, again] = [await order('http://127.0.0.1:9/'), await order('http://127.0.0.1:9/')];
  await claim(first);
  await claim(again);
  await sql(`update webhook_delivery set created_at = now() - interval '1 hour' where order_id = $1`, [
    first,
  ]);
  await sql(
    `update webhook_delivery set created_at = now() - interval '9 hours', attempts = 3, attempts_before = 3 where order_id = $1`,
    [again],
  );
  expect((await serviceFacts(books.db)).webhooks).toEqual({ pending: 2, oldest: about(HOUR) });
});

test('processes count while they send heartbeats', async () => {
  await sql(
    `insert into process_heartbeat (id, part) values (gen_random_uuid(), 'api'), (gen_random_uuid(), 'api')`,
    [],
  );
  await sql(
    `insert into process_heartbeat (id, part, seen_at) values (gen_random_uuid(), 'worker', now() - interval '1 minute')`,
    [],
  );
  expect((await serviceFacts(books.db)).processes).toEqual({ api: 2, worker: 0 });
});

import { afterAll, describe, expect, test } from '@jest/globals';
import type { Database } from '../../src/db/orm.ts';
import { prepareAfterRestore } from '../../src/db/restore.ts';
import { lpsNow } from '../../src/market/lps/approval.ts';
import { type LpMarket, lpMarket } from '../../src/market/lps/market.ts';
import { publishTerms, setQuoting } from '../../src/market/lps/publish-terms.ts';
import { createOrderFeed, type LpNow } from '../../src/notify/feed/order-feed.ts';
import { createLogger } from '../../src/process/log.ts';
import { openBooks } from '../support/books.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';

/** How the feed follows the terms of its LPs, with only a database. */
const books = await openBooks();
afterAll(() => books.db.close());

const key = (lpId: number) => ({ lpId, currency: 'KES', method: 'mobile_money' });
const sql = async (text: string, values: unknown[] = []) => (await books.db.pool.query(text, values)).rows;
const horizon = async () => (await sql('select feed_horizon()::text as xid'))[0].xid;

/** A feed on this database that reads when `announce` is called. */
function openFeed(db: Database) {
  let announce = () => {};
  const channel = {
    onAnnounced: (listener: () => void) => {
      announce = listener;
    },
  };
  const feed = createOrderFeed(db, channel as never, createLogger('silent'));
  return { feed, announce: () => announce() };
}
async function newEvent(lpId: number): Promise<void> {
  const draft = await books.draft(lpId, '1295');
  await books.create(draft);
}

test('the changes since a position name each LP whose terms changed, and no other', async () => {
  const [one, other, third] = [await books.newLp(), await books.newLp(), await books.newLp()];
  await waitForOlderTransactions(books.db);
  const since = await horizon();
  const changed = async () => [...(await lpsNow(books.db, [one, other, third], since)).changed].sort();
  expect(await changed()).toEqual([]);
  await publishTerms(books.db, key(one), { max: '5000' });
  expect(await changed()).toEqual([one]);
  await setQuoting(books.db, other, 'KES', false);
  expect(await changed()).toEqual([one, other]);
  expect((await lpsNow(books.db, [other], since)).changed).toEqual(new Set([other]));
});

describe('a listener learns its new float', () => {
  const AMOUNT = 1_295;
  const claim = async (lpId: number): Promise<number> => {
    const draft = await books.draft(lpId, String(AMOUNT));
    await books.create(draft);
    await books.apply(draft.id, { trigger: 'claim', lpId, validUntil: 'infinity' });
    return draft.id;
  };
  const newFloatLp = async () => {
    const lpId = await books.newLp();
    await books.deposit(lpId, '1000');
    await publishTerms(books.db, key(lpId), { float: '5000' });
    return lpId;
  };
  /** Opens a feed with a listener for the LP. `expectFloat` waits until the listener has received this float. */
  async function openFor(lpId: number) {
    const { feed, announce } = openFeed(books.db);
    let float: number | null | undefined;
    const join = async (market: LpMarket) =>
      feed.listen(market, (_events, lp) => {
        float = lp?.market?.terms.get('KES mobile_money')?.float ?? float;
      });
    const expectFloat = (expected: number) =>
      eventually(async () => {
        announce();
        return float === expected;
      });
    return { feed, announce, join, expectFloat, market: await lpMarket(books.db, lpId) };
  }

  test('with each claim and each end of a claim', async () => {
    const lpId = await newFloatLp();
    const { feed, join, expectFloat, market } = await openFor(lpId);
    await join(market);
    const released = await claim(lpId);
    await expectFloat(5_000 - AMOUNT);
    const cancelled = await claim(lpId);
    await expectFloat(5_000 - 2 * AMOUNT);
    await books.apply(released, { trigger: 'release', lpId, freeSince: new Date(0).toISOString() });
    await expectFloat(5_000 - AMOUNT);
    await books.apply(cancelled, { trigger: 'dispute', by: 'agent' });
    await books.apply(cancelled, { trigger: 'resolve', outcome: 'cancelled', slashUsd: '0', txHash: null });
    await expectFloat(5_000);
    await feed.close();
  });

  test('even if the feed passed a claim after the LP’s market was read and before the listener was added', async () => {
    const [lpId, other] = [await newFloatLp(), await newFloatLp()];
    const { feed, announce, join, expectFloat, market } = await openFor(lpId);
    let passed = '';
    await feed.listen(await lpMarket(books.db, other), (events) => {
      passed = events.at(-1)?.xid ?? passed;
    });
    await claim(lpId);
    await waitForOlderTransactions(books.db);
    await newEvent(other);
    const last = (await sql('select max(xid::text::bigint)::text as xid from order_event'))[0].xid;
    await eventually(async () => {
      announce();
      return passed === last;
    });
    await join(market);
    await newEvent(other);
    await expectFloat(5_000 - AMOUNT);
    await feed.close();
  });
});

test('a new reference price changes the terms that are an offset from it', async () => {
  const [fixed, offset] = [await books.newLp(), await books.newLp()];
  const price = (per_usd: number) =>
    sql(
      `insert into reference_price (currency, per_usd, as_of, usable_until) values ('KES', $1, now(), now() + interval '1 hour')
      on conflict (currency) do update set per_usd = excluded.per_usd, changed = excluded.changed`,
      [per_usd],
    );
  await price(130);
  await publishTerms(books.db, key(offset), { rate: { offset_bps: 100, validForMs: 86_400_000 } });
  expect((await lpMarket(books.db, offset)).terms.get('KES mobile_money')?.rate).toBe('131.30000000');
  await waitForOlderTransactions(books.db);
  const since = await horizon();
  await price(140);
  expect((await lpsNow(books.db, [fixed, offset], since)).changed).toEqual(new Set([offset]));
  expect((await lpMarket(books.db, offset)).terms.get('KES mobile_money')?.rate).toBe('141.40000000');
});

test('a change after an LP’s market was read and before its listener was added reaches the listener', async () => {
  const lpId = await books.newLp();
  const { feed, announce } = openFeed(books.db);
  const received: (LpNow | undefined)[] = [];
  const market = await lpMarket(books.db, lpId);
  await publishTerms(books.db, key(lpId), { max: '500' });
  await feed.listen(market, (_events, lp) => received.push(lp));
  await newEvent(lpId);
  await eventually(async () => {
    announce();
    return received.length > 0;
  });
  expect(received[0]?.market?.terms.get('KES mobile_money')?.max).toBe(500);
  await feed.close();
});

test('a change while the feed reads the terms of its listeners reaches a listener that is added meanwhile', async () => {
  const [first, second] = [await books.newLp(), await books.newLp()];
  let asking = () => {};
  const asked = new Promise<void>((resolve) => {
    asking = resolve;
  });
  let resume = () => {};
  const joined = new Promise<void>((resolve) => {
    resume = resolve;
  });
  /** Its first query for the LPs waits. */
  const slow: Database = {
    ...books.db,
    query: async (name, text, values) => {
      if (name === 'lp-approval') {
        asking();
        await joined;
      }
      return books.db.query(name, text, values);
    },
  };
  const { feed, announce } = openFeed(slow);
  const received: (LpNow | undefined)[] = [];
  await feed.listen(await lpMarket(books.db, first), () => undefined);
  await newEvent(first);
  const announcing = setInterval(announce, 10);
  await asked;
  await feed.listen(await lpMarket(books.db, second), (_events, lp) => received.push(lp));
  await publishTerms(books.db, key(second), { max: '500' });
  await waitForOlderTransactions(books.db);
  resume();
  await eventually(async () => received.length > 0);
  expect(received).toEqual([undefined]);
  await newEvent(first);
  await eventually(async () => received.length > 1);
  expect(received[1]?.market?.terms.get('KES mobile_money')?.max).toBe(500);
  await newEvent(first);
  await eventually(async () => received.length > 2);
  expect(received[2]).toEqual({ approved: true, market: undefined });
  clearInterval(announcing);
  await feed.close();
});

test('changes of terms are found in a restored database, whose transaction ids start again', async () => {
  // As after a real restore, no connection keeps a plan from before it.
  const url = await freshDatabase();
  await prepareAfterRestore(url);
  const restored = await openBooks(url);
  const lpId = await restored.newLp();
  const { rows } = await restored.db.pool.query('select feed_horizon()::text as xid');
  await publishTerms(restored.db, key(lpId), { max: '700' });
  expect((await lpsNow(restored.db, [lpId], rows[0].xid)).changed).toEqual(new Set([lpId]));
  await restored.db.close();
});

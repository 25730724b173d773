import { afterAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/db/orm.ts';
import { lpMarket } from '../../src/market/lps/market.ts';
import { publishTerms } from '../../src/market/lps/publish-terms.ts';
import { createOrderFeed } from '../../src/notify/feed/order-feed.ts';
import { createLogger } from '../../src/process/log.ts';
import { openBooks } from '../support/books.ts';
import { eventually } from '../support/eventually.ts';

/** An LP that changes its terms makes the feed read them. It delays no other LP, and a stranger cannot cause it at all. */
const books = await openBooks();
afterAll(() => books.db.close());

const publish = (lpId: number, max: string) =>
  publishTerms(books.db, { lpId, currency: 'KES', method: 'mobile_money' }, { max });
const setStatus = (lpId: number, status: string) =>
  books.db.pool.query('update lp set status = $2 where id = $1', [lpId, status]);
const newOrder = async (lpId: number): Promise<number> => {
  const draft = await books.draft(lpId, '1295');
  await books.create(draft);
  return draft.id;
};

/** A feed, with what each LP hears: an order, or its new `max`. `before`: what a read of terms waits for. */
function openFeed(before: (lpIds: number[]) => Promise<unknown>) {
  let announce = () => {};
  const channel = {
    onAnnounced: (listener: () => void) => {
      announce = listener;
    },
  };
  const reads: number[][] = [];
  const db: Database = {
    ...books.db,
    query: async (name, text, values) => {
      if (name === 'lp-market') {
        const [lpIds] = values as [number[]];
        reads.push(lpIds);
        await before(lpIds);
      }
      return books.db.query(name, text, values);
    },
  };
  const feed = createOrderFeed(db, channel as never, createLogger('silent'));
  const announcing = setInterval(() => announce(), 10);
  const heard = new Map<number, string[]>();
  const heardBy = (lpId: number) => heard.get(lpId) ?? [];
  return {
    reads,
    heardBy,
    listen: async (lpId: number) => {
      heard.set(lpId, []);
      await feed.listen(await lpMarket(books.db, lpId), (events, lp) => {
        const max = lp?.market?.terms.get('KES mobile_money')?.max;
        heard.get(lpId)?.push(...(max ? [`max ${max}`] : []), ...events.map(({ orderId }) => `${orderId}`));
      });
    },
    hears: (lpId: number, what: string) => eventually(async () => heardBy(lpId).includes(what)),
    close: async () => {
      clearInterval(announcing);
      await feed.close();
    },
  };
}

/** A feed whose LPs have joined: every market has been read once. */
async function settledFeed(lpIds: number[], before: (lpIds: number[]) => Promise<unknown>) {
  const feed = openFeed((ids) => (isSettled ? before(ids) : Promise.resolve()));
  let isSettled = false;
  for (const lpId of lpIds) await feed.listen(lpId);
  const first = await newOrder(lpIds[0] ?? 0);
  for (const lpId of lpIds) await feed.hears(lpId, `${first}`);
  isSettled = true;
  feed.reads.length = 0;
  return feed;
}

test('an LP whose terms have changed waits for them, and no other LP does', async () => {
  const [changing, other] = [await books.newLp(), await books.newLp()];
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const feed = await settledFeed([changing, other], () => held);
  const already = feed.heardBy(changing).length;
  await publish(changing, '5000');
  const [first, second] = [await newOrder(other), await newOrder(other)];
  await feed.hears(other, `${second}`);
  const third = await newOrder(other);
  await feed.hears(other, `${third}`);
  expect(feed.heardBy(changing)).toHaveLength(already);
  goOn();
  await feed.hears(changing, `${third}`);
  expect(feed.heardBy(changing).slice(already)).toEqual(['max 5000', `${first}`, `${second}`, `${third}`]);
  await feed.close();
});

test('an LP whose terms change while they are read gets the later orders under the later terms', async () => {
  const [lpId, other] = [await books.newLp(), await books.newLp()];
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const feed = await settledFeed([lpId, other], () => held);
  await publish(lpId, '5000');
  const first = await newOrder(lpId);
  await eventually(async () => feed.reads.length === 1);
  await publish(lpId, '7000');
  const second = await newOrder(lpId);
  await feed.hears(other, `${second}`);
  goOn();
  await feed.hears(lpId, `${second}`);
  const heard = feed.heardBy(lpId);
  expect(heard.lastIndexOf('max 7000')).toBeLessThan(heard.indexOf(`${second}`));
  expect(heard.indexOf(`${first}`)).toBeLessThan(heard.indexOf(`${second}`));
  await feed.close();
});

test('a read of terms that fails is repeated, and no order is lost', async () => {
  const lpId = await books.newLp();
  let failures = 2;
  const feed = await settledFeed([lpId], async () => {
    if (failures-- > 0) throw new Error('The connection broke');
  });
  await publish(lpId, '5000');
  const order = await newOrder(lpId);
  await feed.hears(lpId, `${order}`);
  expect(feed.heardBy(lpId).slice(-2)).toEqual(['max 5000', `${order}`]);
  await feed.close();
});

test('many LPs that change at once are read some at a time', async () => {
  const lpIds: number[] = [];
  for (let i = 0; i < 45; i++) lpIds.push(await books.newLp());
  const feed = await settledFeed(lpIds, async () => undefined);
  await Promise.all(lpIds.map((lpId) => publish(lpId, '5000')));
  const order = await newOrder(lpIds[0] ?? 0);
  for (const lpId of lpIds) await feed.hears(lpId, `${order}`);
  expect(Math.max(...feed.reads.map((ids) => ids.length))).toBeLessThanOrEqual(20);
  expect(new Set(feed.reads.flat())).toEqual(new Set(lpIds));
  await feed.close();
});

test('an LP that is not approved makes the feed read no terms, until it is approved', async () => {
  const [stranger, other] = [await books.newLp(), await books.newLp()];
  await setStatus(stranger, 'pending');
  const feed = openFeed(async () => undefined);
  await feed.listen(stranger);
  await feed.listen(other);
  for (let i = 0; i < 3; i++) {
    await publish(stranger, String(5_000 + i));
    await feed.hears(stranger, `${await newOrder(other)}`);
  }
  expect(feed.reads.flat()).toEqual([other]);
  expect(feed.heardBy(stranger).filter((what) => what.startsWith('max'))).toEqual([]);
  await setStatus(stranger, 'approved');
  const order = await newOrder(other);
  await feed.hears(stranger, `${order}`);
  expect(feed.heardBy(stranger).slice(-2)).toEqual(['max 5002', `${order}`]);
  await feed.close();
});

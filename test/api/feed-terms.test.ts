import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { publishTerms, setQuoting, type TermsChange } from '../../src/market/lps/publish-terms.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { connectFeed, type FeedClient } from '../support/feed-client.ts';
import { changesUntil, currentCursor, describeChange } from '../support/feed-position.ts';
import type { TestLp } from '../support/parties.ts';

/** An LP is offered only the orders that its terms take, even on a socket that was open before the terms changed. */
const corridor = await startCorridor();
const agent = await corridor.newAgent();
const rival = await corridor.newLp({ collateral: 10_000 });
const witness = await connectFeed(corridor.config.publicUrl, { key: rival.key });
const clients: FeedClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
beforeAll(async () => {
  await publish(rival, { rate: RATE }, 'bank_transfer');
  await witness.next('snapshot');
});
afterAll(async () => {
  await witness.close();
  await corridor.stop();
});

const connect = async ({ key }: TestLp, cursor?: string): Promise<FeedClient> => {
  const client = await connectFeed(corridor.config.publicUrl, { key, ...(cursor ? { cursor } : {}) });
  clients.push(client);
  await client.next(cursor ? 'resumed' : 'snapshot');
  return client;
};
const BANK = {
  institution: '68',
  recipient: undefined,
  recipient_details: { account_number: '0770123456789' },
};
/** Creates an order, and waits until an LP that takes all orders has received it. The feed has then processed its event. */
const order = async (amount = 1_295, method = 'mobile_money'): Promise<number> => {
  const id = await agent.newOrder({ amount, method, ...(method === 'bank_transfer' ? BANK : {}) });
  await isOffered(witness, id);
  return id;
};
const publish = (lp: TestLp, change: TermsChange, method = 'mobile_money', currency = 'KES') =>
  publishTerms(corridor.db, { lpId: lp.id, currency, method }, change);
const RATE = { rate_usd: '129.5', validForMs: 86_400_000 };
const opened = (client: FeedClient) => client.ofType('order.open').map(({ order }) => order.id);
const isOffered = (client: FeedClient, id: number) =>
  client.next('order.open', ({ order }) => order.id === id);

/** Which of these orders the LP sees on its dashboard, in `orders/stream`, and in a new snapshot. */
async function seenBy(lp: TestLp, ids: number[]): Promise<number[][]> {
  const of = (orders: { id: number }[]) => ids.filter((id) => orders.some((one) => one.id === id));
  const dashboard = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
  const stream = `/api/lp/${lp.key}/orders/stream?since=2026-01-01T00:00:00Z`;
  const polled = await expectStatus(200, lp.call('GET', stream));
  const { orders } = await (await connect(lp)).next('snapshot');
  return [of(dashboard.open_orders), of(polled.orders), of(orders)];
}
const everywhere = (ids: number[]) => [ids, ids, ids];

test('an LP that stops quoting is offered no orders until it quotes again', async () => {
  const lp = await corridor.newLp();
  const client = await connect(lp);
  const before = await order();
  await isOffered(client, before);
  await setQuoting(corridor.db, lp.id, 'KES', false);
  const during = await order();
  expect(await seenBy(lp, [before, during])).toEqual(everywhere([]));
  await setQuoting(corridor.db, lp.id, 'KES', true);
  const after = await order();
  await isOffered(client, after);
  expect(opened(client)).toEqual([before, after]);
  expect(await seenBy(lp, [before, during, after])).toEqual(everywhere([before, during, after]));
});

test('the offers of an LP that has stopped quoting are still closed', async () => {
  const lp = await corridor.newLp();
  const client = await connect(lp);
  const offered = await order();
  await isOffered(client, offered);
  await setQuoting(corridor.db, lp.id, 'KES', false);
  await publish(lp, { max: '500' });
  await expectStatus(200, rival.claim(offered));
  expect(await client.next('order.closed', ({ id }) => id === offered)).toMatchObject({ reason: 'claimed' });
});

test('an LP that changes its limits is offered only orders within them', async () => {
  const lp = await corridor.newLp();
  const client = await connect(lp);
  await publish(lp, { min: '1295.01', max: '2000' });
  const small = await order(1_295);
  const within = await order(2_000);
  await isOffered(client, within);
  expect(await seenBy(lp, [small, within])).toEqual(everywhere([within]));
  await publish(lp, { min: null, max: '1999.99' });
  const large = await order(2_000);
  const last = await order(1_295);
  await isOffered(client, last);
  expect(opened(client)).toEqual([within, last]);
  expect(await seenBy(lp, [small, within, large, last])).toEqual(everywhere([small, last]));
});

test('a claim of its own uses up an LP’s float for the next orders', async () => {
  const lp = await corridor.newLp();
  const client = await connect(lp);
  await publish(lp, { float: '2000' });
  const first = await order();
  await isOffered(client, first);
  await expectStatus(200, lp.claim(first));
  const second = await order();
  const small = await order(705);
  await isOffered(client, small);
  expect(opened(client)).toEqual([first, small]);
  expect(await seenBy(lp, [second, small])).toEqual(everywhere([small]));
  await publish(lp, { float: '1295' });
  const third = await order();
  await isOffered(client, third);
  expect(opened(client)).toEqual([first, small, third]);
});

test('an LP that publishes its first terms of a corridor is offered the next orders of that corridor only', async () => {
  const lp = await corridor.newLp({ currency: 'UGX', rate: 3_700 });
  const client = await connect(lp);
  const mobile = await order();
  await publish(lp, { rate: RATE }, 'bank_transfer');
  const bank = await order(1_295, 'bank_transfer');
  const stillNot = await order();
  await publish(lp, { rate: RATE });
  const now = await order();
  await isOffered(client, now);
  expect(opened(client)).toEqual([bank, now]);
  expect(await seenBy(lp, [mobile, bank, stillNot, now])).toEqual(everywhere([mobile, bank, stillNot, now]));
  await expectStatus(200, rival.claim(stillNot));
  await client.next('order.closed', ({ id }) => id === stillNot);
});

test('an LP that reads past changes gets them by its present terms', async () => {
  const lp = await corridor.newLp();
  const cursor = await currentCursor(lp, agent);
  const [small, large] = [await order(1_295), await order(2_000)];
  await publish(lp, { max: '1500' });
  const last = await order(1_300);
  const received = await changesUntil(lp, cursor, `${last} open matched`);
  expect(received.map(describeChange)).toEqual([`${small} open matched`, `${last} open matched`]);
  const client = await connect(lp, cursor);
  await isOffered(client, last);
  expect(opened(client)).toEqual([small, last]);
  // A client that resumes on the same socket also gets them by the terms of that time.
  await publish(lp, { max: null });
  client.socket.send(JSON.stringify({ type: 'resume', cursor }));
  await eventuallyEquals(async () => opened(client).join(), [small, last, small, large, last].join());
});

test('offers on an open socket show the profit by the LP’s present rate, and none once the rate has expired', async () => {
  const lp = await corridor.newLp();
  const client = await connect(lp);
  const profit = async () => {
    const { order: offer } = await isOffered(client, await order(1_295));
    return offer.est_profit_usd;
  };
  expect(await profit()).toBe(0);
  await publish(lp, { rate: { ...RATE, rate_usd: '140' } });
  expect(await profit()).toBe(0.75);
  // The rate expires a moment later, before any other change.
  await publish(lp, { rate: { rate_usd: '140', validForMs: 1 } });
  expect(await profit()).toBeNull();
});

describe('a token that an LP registers while its socket is open counts', () => {
  const USDC = { crypto_symbol: 'usdc', crypto_chain: 'base' };
  const register = (lp: TestLp, symbol: string, chain: string) =>
    expectStatus(
      201,
      lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol, chain, address: `T${lp.id}${symbol}` }),
    );
  /** Waits until the feed has judged the order: the rival takes all tokens. */
  const orderIn = async (token: Record<string, unknown>): Promise<number> => {
    const id = await agent.newOrder(token);
    await isOffered(witness, id);
    return id;
  };
  beforeAll(() => register(rival, 'usdc', 'base'));

  test('from the next order on', async () => {
    const lp = await corridor.newLp();
    const client = await connect(lp);
    const before = await orderIn(USDC);
    await register(lp, 'usdc', 'base');
    const after = await orderIn(USDC);
    await isOffered(client, after);
    expect(opened(client)).toEqual([after]);
    expect(opened(client)).not.toContain(before);
  });

  test('also for one that has taken none so far, and offers in other tokens are still closed', async () => {
    const lp = await corridor.newLp({ asset: false });
    const client = await connect(lp);
    const offered = await orderIn(USDC);
    await isOffered(client, offered);
    await register(lp, 'usdt', 'trx');
    const [other, own] = [await orderIn(USDC), await orderIn({})];
    await isOffered(client, own);
    expect(opened(client)).toEqual([offered, own]);
    await expectStatus(200, rival.claim(offered));
    expect(await client.next('order.closed', ({ id }) => id === offered)).toMatchObject({
      reason: 'claimed',
    });
    expect(opened(client)).not.toContain(other);
  });

  test('and offers in other tokens are closed for one that polls or resumes, too', async () => {
    const lp = await corridor.newLp({ asset: false });
    const offered = await orderIn(USDC);
    const cursor = await currentCursor(rival, agent);
    await register(lp, 'usdt', 'trx');
    await expectStatus(200, rival.claim(offered));
    const closed = `${offered} closed claimed`;
    expect((await changesUntil(lp, cursor, closed)).map(describeChange)).toContain(closed);
    const client = await connect(lp, cursor);
    await client.next('order.closed', ({ id }) => id === offered);
  });

  test('and a resumed socket gets past orders in it', async () => {
    const lp = await corridor.newLp();
    const cursor = await currentCursor(lp, agent);
    const client = await connect(lp, cursor);
    const past = await orderIn(USDC);
    await register(lp, 'usdc', 'base');
    client.socket.send(JSON.stringify({ type: 'resume', cursor }));
    await isOffered(client, past);
  });
});

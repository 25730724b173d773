import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { connectFeed, type FeedClient, type FeedOptions } from '../support/feed-client.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import type { TestLp } from '../support/parties.ts';

const clients: FeedClient[] = [];

const databaseUrl = await freshDatabase();
const env = { TEMPORAL_NAMESPACE: 'test-feed' };
/** Two APIs on one database; the first has the worker. */
const corridor = await startCorridor({ databaseUrl, env });
const second = await startCorridor({ databaseUrl, env, worker: false });
const agent = await corridor.newAgent();
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await second.stop();
  await corridor.stop();
});

const connect = async (options: FeedOptions, at = corridor): Promise<FeedClient> => {
  const client = await connectFeed(at.config.publicUrl, options);
  clients.push(client);
  return client;
};
const opened = (client: FeedClient) => client.ofType('order.open').map(({ order }) => order.id);

describe('before the upgrade', () => {
  test('a missing or wrong key gets a 401 with JSON', async () => {
    const refusal = { status: 401, body: { error: 'Unauthorized' } };
    await expect(connect({})).rejects.toEqual(refusal);
    await expect(connect({ key: 'lp_wrong' })).rejects.toEqual(refusal);
    await expect(connect({ key: agent.key })).rejects.toEqual(refusal);
  });

  test('the sixth connection of a key gets a 429, across all API processes', async () => {
    const lp = await corridor.newLp();
    const attempts = Array.from({ length: 9 }, (_, i) => connect({ key: lp.key }, i % 2 ? corridor : second));
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    for (const attempt of settled) {
      if (attempt.status === 'fulfilled') continue;
      expect(attempt.reason).toEqual({
        status: 429,
        body: { error: 'Too many concurrent connections for this LP key' },
      });
    }
    await clients.splice(0, 1)[0]?.close();
    await eventuallyEquals(
      () =>
        connect({ key: lp.key }).then(
          () => true,
          () => false,
        ),
      true,
    );
  });

  test('an invalid cursor or currency gets a 400, and an unknown path a 404', async () => {
    const lp = await corridor.newLp();
    await expect(connect({ key: lp.key, cursor: 'nonsense' })).rejects.toMatchObject({ status: 400 });
    await expect(connect({ key: lp.key, currencies: 'KES,shillings' })).rejects.toMatchObject({
      status: 400,
    });
    const elsewhere = connectFeed(`${corridor.config.publicUrl}/ws/other`, { key: lp.key });
    await (await elsewhere).close();
  });
});

describe('the feed', () => {
  test('sends a hello, the open orders, and then each change as it happens', async () => {
    const [lp, rival] = [await corridor.newLp(), await corridor.newLp()];
    const before = await agent.newOrder();
    await waitForOlderTransactions(corridor.db);
    const client = await connect({ headers: { authorization: `Bearer ${lp.key}` } });
    const hello = await client.next('hello');
    expect(hello).toEqual({ type: 'hello', cursor: expect.any(String), heartbeat_ms: 30_000 });
    const { orders } = await client.next('snapshot');
    expect(orders.map(({ id }) => id)).toContain(before);

    const id = await agent.newOrder();
    const { order } = await client.next('order.open', (message) => message.order.id === id);
    expect(order).toMatchObject({ id, status: 'matched', amount_fiat: 1295, collateral_required: 10 });
    expect(order).not.toHaveProperty('recipient');

    await rival.claim(id);
    const closed = await client.next('order.closed', (message) => message.id === id);
    expect(closed).toMatchObject({ id, reason: 'claimed' });
    expect(client.ofType('order.updated').filter((message) => message.order.id === id)).toEqual([]);
  });

  test('follows the LP’s own orders, with the recipient once it owns them', async () => {
    const lp = await corridor.newLp();
    const client = await connect({ key: lp.key });
    await client.next('snapshot');
    const id = await agent.newOrder({ recipient: '+254700999888', recipient_name: 'Somebody' });
    await lp.claim(id);
    await lp.fiatSent(id);
    await agent.confirm(id);
    await client.next('order.updated', ({ order }) => order.id === id && order.status === 'confirmed');
    const own = client.ofType('order.updated').filter(({ order }) => order.id === id);
    expect(own.map(({ order }) => order.status)).toEqual(['claimed', 'fiat_sent', 'confirmed']);
    expect(own[0]?.order).toMatchObject({ recipient: '+254700999888', recipient_name: 'Somebody' });
    const open = client.ofType('order.open').find(({ order }) => order.id === id);
    expect(JSON.stringify(open)).not.toContain('254700999888');
  });

  test('is filtered by currency and by the LP’s tokens', async () => {
    const [lp, other] = [await corridor.newLp(), await corridor.newLp()];
    for (const { call, key } of [lp, other])
      await expectStatus(200, call('POST', `/api/lp/${key}/rates`, { currency: 'UGX', rate_usd: 3_700 }));
    const ugx = await connect({ key: lp.key, currencies: 'ugx' });
    const all = await connect({ key: other.key });
    await Promise.all([ugx.next('snapshot'), all.next('snapshot')]);
    const shillings = await agent.newOrder();
    const ugandan = await agent.newOrder({ currency: 'UGX', amount: 37_000 });
    await all.next('order.open', ({ order }) => order.id === ugandan);
    await ugx.next('order.open', ({ order }) => order.id === ugandan);
    expect(opened(all)).toEqual([shillings, ugandan]);
    expect(opened(ugx)).toEqual([ugandan]);
  });

  test('delivers everything to clients that connect before the first order', async () => {
    const api = await startCorridor({ worker: false });
    try {
      const [payer, lp] = [await api.newAgent(), await api.newLp()];
      const connecting = Array.from({ length: 4 }, () => connectFeed(api.config.publicUrl, { key: lp.key }));
      const paying = Promise.all(Array.from({ length: 6 }, () => payer.newOrder()));
      const all = await Promise.all(connecting);
      const ids = (await paying).sort((a, b) => a - b);
      for (const client of all) {
        const known = () => {
          const shown = client.ofType('snapshot').flatMap(({ orders }) => orders.map((order) => order.id));
          return [...new Set([...shown, ...opened(client)])].sort((a, b) => a - b).join();
        };
        await eventuallyEquals(async () => known(), ids.join());
        await client.close();
      }
    } finally {
      await api.stop();
    }
  });

  test('reaches sockets on another API process than the one that received the payment', async () => {
    const lp = await corridor.newLp();
    const client = await connect({ key: lp.key }, second);
    await client.next('snapshot');
    const id = await agent.newOrder();
    await client.next('order.open', ({ order }) => order.id === id);
  });
});

describe('resuming', () => {
  test('by cursor loses nothing and repeats nothing, over reconnects and a restart of the API', async () => {
    const lp = await corridor.newLp();
    let api = await startCorridor({
      databaseUrl: corridor.databaseUrl,
      env: { TEMPORAL_NAMESPACE: 'test-feed' },
      worker: false,
    });
    let client = await connectFeed(api.config.publicUrl, { key: lp.key });
    let cursor = (await client.next('snapshot')).cursor;
    const created: number[] = [];
    const received: number[] = [];
    const readNew = () => {
      for (const message of client.ofType('order.open')) {
        received.push(message.order.id);
        cursor = message.cursor;
      }
    };
    for (let round = 0; round < 4; round++) {
      created.push(await agent.newOrder(), await agent.newOrder());
      if (round % 2 === 0) await client.next('order.open', ({ order }) => order.id === created.at(-1));
      if (round === 1) await api.stop();
      await client.close();
      readNew();
      created.push(await agent.newOrder());
      if (round === 1) {
        api = await startCorridor({
          databaseUrl: corridor.databaseUrl,
          env: { TEMPORAL_NAMESPACE: 'test-feed' },
          worker: false,
        });
      }
      client = await connectFeed(api.config.publicUrl, { key: lp.key, cursor });
    }
    await client.next('order.open', ({ order }) => order.id === created.at(-1));
    readNew();
    expect(received).toEqual(created);
    await client.close();
    await api.stop();
  });

  test('between the two messages about one event sends only the second', async () => {
    const lp = await corridor.newLp();
    const client = await connect({ key: lp.key });
    await client.next('snapshot');
    const id = await agent.newOrder();
    await lp.claim(id);
    const { cursor } = await client.next('order.closed', (message) => message.id === id);
    const resumed = await connect({ key: lp.key, cursor });
    await resumed.next('order.updated', ({ order }) => order.id === id);
    expect(resumed.received.map(({ type }) => type)).toEqual(['hello', 'resumed', 'order.updated']);
  });

  test('from the hello of a resumed connection loses nothing', async () => {
    const lp = await corridor.newLp();
    const { cursor } = await (await connect({ key: lp.key })).next('snapshot');
    const id = await agent.newOrder();
    const hello = await (await connect({ key: lp.key, cursor })).next('hello');
    const again = await connect({ key: lp.key, cursor: hello.cursor });
    await again.next('order.open', ({ order }) => order.id === id);
  });

  test('can be requested immediately after connecting', async () => {
    const lp = await corridor.newLp();
    const first = await connect({ key: lp.key });
    const { cursor } = await first.next('snapshot');
    await first.close();
    const missed = [await agent.newOrder(), await agent.newOrder()];
    const client = await connect({ key: lp.key });
    client.socket.send(JSON.stringify({ type: 'resume', cursor }));
    await client.next('resumed');
    missed.push(await agent.newOrder());
    await client.next('order.open', ({ order }) => order.id === missed.at(-1));
    const marker = client.received.findIndex(({ type }) => type === 'resumed');
    const after = client.received.slice(marker).flatMap((m) => (m.type === 'order.open' ? [m.order.id] : []));
    expect(after).toEqual(missed);
  });

  test('with a cursor beyond the feed’s position is refused', async () => {
    const lp = await corridor.newLp();
    const client = await connect({ key: lp.key, cursor: '18446744073709551615.1.1' });
    expect(await client.next('error')).toMatchObject({
      error: expect.stringContaining('not from this feed'),
    });
    expect(await client.closed).toBe(1008);
  });

  test('from an old cursor hides from an LP the recipients that other LPs pay', async () => {
    const [lp, next] = [await corridor.newLp(), await corridor.newLp()];
    const { cursor } = await (await connect({ key: lp.key })).next('snapshot');
    const id = await agent.newOrder({ recipient: '+254700777666' });
    await lp.claim(id);
    // As after a missed deadline: the order now belongs to another LP.
    await corridor.db.query('give', 'update orders set lp_id = $2 where id = $1', [id, next.id]);
    const client = await connect({ key: lp.key, cursor });
    const { order } = await client.next('order.updated', (message) => message.order.id === id);
    expect(order).not.toHaveProperty('recipient');
  });

  test('by message starts again after the cursor', async () => {
    const lp = await corridor.newLp();
    const client = await connect({ key: lp.key });
    const { cursor } = await client.next('snapshot');
    const [one, two] = [await agent.newOrder(), await agent.newOrder()];
    await client.next('order.open', ({ order }) => order.id === two);
    client.socket.send(JSON.stringify({ type: 'resume', cursor }));
    await client.next('resumed');
    const three = await agent.newOrder();
    await client.next('order.open', ({ order }) => order.id === three);
    const marker = client.received.findIndex(({ type }) => type === 'resumed');
    const after = client.received.slice(marker).flatMap((m) => (m.type === 'order.open' ? [m.order.id] : []));
    expect(after).toEqual([one, two, three]);
    client.socket.send('what?');
    expect(await client.next('error')).toMatchObject({ error: expect.stringContaining('resume') });
  });
});

test('a stopping API asks its clients to reconnect, and frees their connection slots', async () => {
  const api = await startCorridor({ worker: false });
  const lp: TestLp = await api.newLp();
  const client = await connectFeed(api.config.publicUrl, { key: lp.key });
  await client.next('hello');
  await api.stop();
  expect(await client.closed).toBe(1001);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { WebSocket } from 'ws';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { createOrderFeed } from '../../src/notify/feed/order-feed.ts';
import { serveSockets } from '../../src/notify/feed/socket-server.ts';
import { copiesOf } from '../support/copied-orders.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { connectFeed, type FeedClient } from '../support/feed-client.ts';

const [asked, answered]: [string[], string[]] = [[], []];
/** From where the feed was read. */
const readFrom: unknown[] = [];

const server = createServer();
/** Only the feed's server, with a heartbeat that is short enough for a test. */
const corridor = await startCorridor({ worker: false });
const { shared } = corridor;
const opened = await openDatabase({ url: shared.databaseUrl, queryTimeoutMs: 0, debug: () => undefined });
/** A database for the feed's server that a test can delay, with a log of its queries and results. */
const db: Database = {
  ...opened,
  query: async (name, text, values) => {
    asked.push(name);
    if (name === 'feed-read') readFrom.push(values[0]);
    return opened.query(name, text, values).finally(() => answered.push(name)) as never;
  },
};
const feed = createOrderFeed(db, shared.channel, shared.log);
const sockets = serveSockets(server, {
  db,
  feed,
  log: shared.log,
  metrics: shared.metrics.sockets,
  maxConnections: 5,
  authFailureLimit: 0,
  settings: corridor.config,
  heartbeatMs: 6_000,
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/orders`;
afterAll(async () => {
  await sockets.close();
  await feed.close();
  server.close();
  await db.close();
  await corridor.stop();
});

const closing = (socket: WebSocket) => new Promise<number>((resolve) => socket.on('close', resolve));
const open = (socket: WebSocket) => new Promise<void>((resolve) => socket.on('open', () => resolve()));

test('a client that does not answer pings is disconnected, and one that answers stays', async () => {
  const lp = await corridor.newLp();
  const dead = new WebSocket(`${url}?lp_key=${lp.key}`, { autoPong: false });
  const responsive = new WebSocket(`${url}?lp_key=${lp.key}`);
  let pings = 0;
  responsive.on('ping', () => {
    pings += 1;
  });
  expect(await closing(dead)).toBe(1006);
  await eventually(async () => pings >= 3);
  expect(responsive.readyState).toBe(WebSocket.OPEN);
  responsive.close();
});

const httpUrl = () => url.replace(/^ws/, 'http');
const timesIn = (names: string[], name: string) => names.filter((one) => one === name).length;
const resume = ({ socket }: FeedClient, cursor: string) =>
  socket.send(JSON.stringify({ type: 'resume', cursor }));
/** Waits until the service has processed everything that the client has sent. */
const everythingProcessed = async ({ socket }: FeedClient) => {
  const answered = new Promise((resolve) => socket.once('pong', resolve));
  socket.ping();
  await answered;
};

describe('while a resume is reading', () => {
  let blocker: pg.Client;
  let client: FeedClient;
  let [first, last] = ['', ''];
  beforeEach(async () => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
    client = await connectFeed(httpUrl(), { key: lp.key });
    first = (await client.next('snapshot')).cursor;
    await agent.newOrder();
    last = (await client.next('order.open')).cursor;
    blocker = new pg.Client(corridor.databaseUrl);
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('lock table order_event in access exclusive mode');
    resume(client, first);
    await client.next('resumed');
  });
  /** Ends the connection, and with it the transaction that holds the lock. */
  const readOn = () => blocker.end();
  afterEach(readOn);

  test('only the newest resume waits', async () => {
    for (let i = 0; i < 40; i++) resume(client, first);
    resume(client, last);
    await everythingProcessed(client);
    await readOn();
    await client.next('resumed', ({ cursor }) => cursor === last);
    expect(client.ofType('resumed').map(({ cursor }) => cursor)).toEqual([first, last]);
    await client.close();
  });

  test('the service does not read for a resume whose client has disconnected', async () => {
    resume(client, last);
    await everythingProcessed(client);
    client.socket.terminate();
    const rows = 'select from socket_slot s join lp on lp.id = s.lp_id';
    await eventually(async () => (await corridor.db.query('slots', rows, [])).length === 0);
    const [begun, read] = [timesIn(asked, 'feed-end'), timesIn(answered, 'lp-market')];
    await readOn();
    // The first resume's last query. A second resume would start its first query directly after the result.
    await eventually(async () => timesIn(answered, 'lp-market') > read);
    expect(timesIn(asked, 'feed-end')).toBe(begun);
  });
});

test('a client that sends too many messages is disconnected, and the LP’s other connections stay', async () => {
  const lp = await corridor.newLp();
  const quiet = await connectFeed(httpUrl(), { key: lp.key });
  const loud = await connectFeed(httpUrl(), { key: lp.key });
  const { cursor } = await loud.next('snapshot');
  const reason = new Promise((resolve) => loud.socket.on('close', (_code, why) => resolve(String(why))));
  for (let i = 0; i < 60; i++) resume(loud, cursor);
  await everythingProcessed(loud);
  expect(loud.socket.readyState).toBe(WebSocket.OPEN);
  for (let i = 0; i < 10_000; i++) loud.socket.send('what?');
  expect([await loud.closed, await reason]).toEqual([1008, 'too many messages']);
  await everythingProcessed(quiet);
  expect(quiet.socket.readyState).toBe(WebSocket.OPEN);
  await quiet.close();
});

test('nothing of the past is read for an LP that was never approved', async () => {
  const [agent, approved, stranger] = [
    await corridor.newAgent(),
    await corridor.newLp(),
    await corridor.newLp(),
  ];
  await corridor.db.pool.query(`update lp set status = 'pending', approved_at = null where id = $1`, [
    stranger.id,
  ]);
  await agent.newOrder();
  const [cursor, past] = ['7.0.0', () => readFrom.filter((xid) => xid === '7').length];
  const client = await connectFeed(httpUrl(), { key: stranger.key, cursor });
  await client.next('resumed');
  resume(client, cursor);
  await eventually(async () => client.ofType('resumed').length === 2);
  await everythingProcessed(client);
  expect(past()).toBe(0);
  await client.close();
  const other = await connectFeed(httpUrl(), { key: approved.key, cursor });
  await eventually(async () => past() === 1);
  await other.close();
});

test('a client that reads receives a page of events that takes more than it may leave unread', async () => {
  const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
  const client = await connectFeed(httpUrl(), { key: lp.key });
  const { cursor } = await client.next('snapshot');
  const id = await agent.newOrder();
  await copiesOf(corridor, id, 480, 'long');
  const CLAIMED = `
    insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
    select e.order_id, 2, 'matched', 'claimed', 'lp:' || $1, 'claim', repeat('😀', 500), 'note', e.snapshot || jsonb_build_object('lp_id', $1::bigint)
    from order_event e join orders o on o.id = e.order_id where o.payment_id like 'copy-long%' and e.seq = 1`;
  await corridor.db.pool.query(CLAIMED, [lp.id]);
  const resumed = await connectFeed(httpUrl(), { key: lp.key, cursor });
  for (const one of [client, resumed]) {
    await eventually(async () => one.ofType('order.updated').length === 480);
    await one.close();
  }
});

// Must be the last test: it leaves tens of thousands of open orders, which every new connection receives.
test('a client that reads too slowly is disconnected, and the others receive everything', async () => {
  const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
  // The Corridor's own server: with the other one's heartbeat, a busy machine must not delay an answer to a ping for six seconds.
  const feedUrl = `${corridor.config.publicUrl.replace('http', 'ws')}/ws/orders?lp_key=${lp.key}`;
  const slow = new WebSocket(feedUrl);
  const quick = new WebSocket(feedUrl);
  let receivedCount = 0;
  quick.on('message', (data) => {
    if (String(data).includes('order.open')) receivedCount += 1;
  });
  let ending = 'not disconnected';
  quick.on('close', (code, reason) => {
    ending = `disconnected with ${code} ${reason}`;
  });
  await Promise.all([open(slow), open(quick)]);
  const template = await agent.newOrder();
  await eventuallyEquals(async () => receivedCount, 1);
  slow.pause();
  const many = 40_000;
  // Not through the service's pool, whose statements time out after seconds.
  const client = new pg.Client(corridor.databaseUrl);
  await client.connect();
  await client.query(
    `with made as (
       insert into orders (payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms)
       select 'bulk-' || n, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto + 1000 * n, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms
       from orders, generate_series(1, ${many}) n where id = ${template} returning id
     )
     insert into order_event (order_id, seq, status, actor, cause, snapshot)
     select made.id, 1, 'matched', 'agent:1', 'pay', event.snapshot from made, order_event event
     where event.order_id = ${template} and event.seq = 1`,
  );
  // As autovacuum would do: plans for a handful of rows do not suit this many rows.
  await client.query('analyze orders, order_event');
  await client.end();
  await eventuallyEquals(
    async () => `${receivedCount} received, ${ending}`,
    `${many + 1} received, not disconnected`,
    120_000,
  );
  slow.resume();
  expect([1006, 1008]).toContain(await closing(slow));
  quick.close();
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { WebSocket } from 'ws';
import { createOrderFeed, type OrderFeed } from '../../src/stream/feed.ts';
import { type SocketServer, serveSockets } from '../../src/stream/socket-server.ts';
import { newAgent, newLp, newOrder } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';

/** The feed's server alone, with a heartbeat that a test can wait for. */
let corridor: TestCorridor;
let feed: OrderFeed;
let sockets: SocketServer;
let url: string;
const server = createServer();
beforeAll(async () => {
  corridor = await startCorridor({ worker: false });
  const { db, shared } = corridor;
  feed = createOrderFeed(db, shared.channel, shared.log);
  sockets = serveSockets(server, {
    db,
    feed,
    log: shared.log,
    maxConnections: 5,
    authFailureLimit: 0,
    trustProxyHops: 0,
    heartbeatMs: 1_000,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/orders`;
});
afterAll(async () => {
  await sockets.close();
  await feed.close();
  server.close();
  await corridor.stop();
});

const closing = (socket: WebSocket) => new Promise<number>((resolve) => socket.on('close', resolve));
const open = (socket: WebSocket) => new Promise<void>((resolve) => socket.on('open', () => resolve()));

test('a client that does not answer pings is cut off, one that does stays', async () => {
  const lp = await newLp(corridor);
  const dead = new WebSocket(`${url}?lp_key=${lp.key}`, { autoPong: false });
  const living = new WebSocket(`${url}?lp_key=${lp.key}`);
  let pings = 0;
  living.on('ping', () => {
    pings += 1;
  });
  expect(await closing(dead)).toBe(1006);
  await eventually(async () => pings >= 3);
  expect(living.readyState).toBe(WebSocket.OPEN);
  living.close();
});

test('a client that reads too slowly is cut off, and the others hear everything', async () => {
  const [agent, lp] = [await newAgent(corridor), await newLp(corridor)];
  const template = await newOrder(agent);
  const slow = new WebSocket(`${url}?lp_key=${lp.key}`);
  const quick = new WebSocket(`${url}?lp_key=${lp.key}`);
  let heard = 0;
  quick.on('message', (data) => {
    if (String(data).includes('order.open')) heard += 1;
  });
  await Promise.all([open(slow), open(quick)]);
  slow.pause();
  const many = 40_000;
  // Not over the service's pool, which gives a statement up after seconds.
  const client = new pg.Client(corridor.shared.databaseUrl);
  await client.connect();
  await client.query(
    `with made as (
       insert into orders (payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, status, expires_at, timeout_at)
       select 'bulk-' || n, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, status, expires_at, timeout_at
       from orders, generate_series(1, ${many}) n where id = ${template} returning id
     )
     insert into order_event (order_id, seq, status, actor, cause, snapshot)
     select made.id, 1, 'matched', 'agent:1', 'pay', event.snapshot from made, order_event event
     where event.order_id = ${template} and event.seq = 1`,
  );
  await client.end();
  await eventually(async () => heard >= many, 120_000);
  expect(heard).toBe(many);
  slow.resume();
  expect([1006, 1008]).toContain(await closing(slow));
  quick.close();
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { WebSocket } from 'ws';
import { openDatabase } from '../../src/db/orm.ts';
import { type RunningServer, startServer } from '../../src/http/http-server.ts';
import { createOrderFeed } from '../../src/notify/feed/order-feed.ts';
import { type SocketServer, serveSockets } from '../../src/notify/feed/socket-server.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { type RawConnection, rawConnection, rawRequest, statusesIn } from '../support/raw-http.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** More than all buffers between the two ends of a connection can hold. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);
const HOST = 'Host: corridor';

let running: RunningServer;
let sockets: SocketServer;
let base: string;
const stopping = new Set<() => Promise<void>>();
const locking = new Set<pg.Client>();

/** The feed's server, with clients that never close their side of a connection. */
const corridor = await startCorridor({ worker: false });
const { databaseUrl: url, channel, log } = corridor.shared;
/** Has no query timeout: a test decides how long a query waits. */
const db = await openDatabase({ url, queryTimeoutMs: 0, debug: () => undefined });
const feed = createOrderFeed(db, channel, log);
beforeEach(() => serve(60_000));
afterEach(async () => {
  for (const client of locking) await client.end();
  locking.clear();
});
afterAll(async () => {
  for (const stop of stopping) await stop();
  await feed.close();
  await db.close();
  await corridor.stop();
});

async function serve(upgradeMs: number): Promise<void> {
  for (const stop of stopping) await stop();
  const server = await startServer((_, response) => response.end(LARGE), '127.0.0.1', 0);
  const { log, metrics } = corridor.shared;
  const limits = { maxConnections: 1, authFailureLimit: 0, settings: corridor.config };
  const feedServer = serveSockets(server.server, {
    db,
    feed,
    log,
    metrics: metrics.sockets,
    ...limits,
    upgradeMs,
  });
  running = server;
  sockets = feedServer;
  base = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const stop = async () => {
    stopping.delete(stop);
    await feedServer.close();
    await server.stop();
  };
  stopping.add(stop);
}

const connected = async (): Promise<RawConnection> => {
  const connection = rawConnection(base, { allowHalfOpen: true });
  connection.closed.catch(() => undefined);
  await once(connection.socket, 'connect');
  return connection;
};
const upgrade = (key: string, webSocketKey = 'dGhlIHNhbXBsZSBub25jZQ==') =>
  rawRequest([
    `GET /ws/orders?lp_key=${key} HTTP/1.1`,
    HOST,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${webSocketKey}`,
  ]);
const requestUpgrade = async (key: string): Promise<RawConnection> => {
  const connection = await connected();
  connection.socket.write(upgrade(key));
  return connection;
};
const openConnections = () =>
  new Promise<number>((resolve, reject) =>
    running.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
/** Returns the statuses of the responses, once the service has closed all connections except `left` of them. */
const answers = async (connections: RawConnection[], left = 0) => {
  await eventuallyEquals(openConnections, left);
  await eventually(async () => connections.every(({ socket }) => socket.readableEnded));
  return connections.map(({ socket, received }) => {
    socket.destroy();
    return statusesIn(received());
  });
};

/** Locks the table of LPs, so that no key can be authenticated until `free` is called. */
async function lockLps(): Promise<{ waiting: () => Promise<number>; free: () => Promise<void> }> {
  const client = new pg.Client(corridor.databaseUrl);
  locking.add(client);
  await client.connect();
  await client.query('begin');
  await client.query('lock table lp in access exclusive mode');
  return {
    waiting: () => countWaiting(corridor.db.pool),
    // The transaction ends with the connection.
    free: () => client.end(),
  };
}

test('a client that is refused with 401 is disconnected', async () => {
  const refused = await Promise.all(['lp_wrong', 'lp_other', 'lp_third'].map(requestUpgrade));
  expect(await answers(refused)).toEqual([[401], [401], [401]]);
});

test('a client that is refused with 429 is disconnected, and its open connection stays', async () => {
  const lp = await corridor.newLp();
  const first = new WebSocket(`${base.replace('http', 'ws')}/ws/orders?lp_key=${lp.key}`);
  await once(first, 'open');
  expect(await answers([await requestUpgrade(lp.key)], 1)).toEqual([[429]]);
  expect(first.readyState).toBe(WebSocket.OPEN);
  first.close();
});

test.each([
  ['is refused', () => upgrade('lp_wrong')],
  ['sends an invalid handshake', (key: string) => upgrade(key, 'none')],
])('a client that %s and does not read is disconnected', async (_, lines) => {
  const lp = await corridor.newLp();
  await serve(1_000);
  const { socket } = await connected();
  socket.pause();
  socket.write(rawRequest(['GET /large HTTP/1.1', HOST]));
  socket.write(lines(lp.key));
  await eventually(openConnections);
  await eventuallyEquals(openConnections, 0);
  socket.destroy();
});

test('a client gets a 503 if it cannot be authenticated in time', async () => {
  const lp = await corridor.newLp();
  await serve(1_000);
  const lock = await lockLps();
  const connection = await requestUpgrade(lp.key);
  expect(await answers([connection])).toEqual([[503]]);
  await lock.free();
  // The late lookup result is discarded and takes no connection slot.
  await sockets.close();
  expect(await corridor.db.query('slots', 'select from socket_slot where lp_id = $1', [lp.id])).toEqual([]);
});

test('the server stops while such clients are connected', async () => {
  const lp = await corridor.newLp();
  const refused = [await requestUpgrade('lp_wrong'), await requestUpgrade('lp_other')];
  await eventually(async () => refused.every(({ received }) => received().includes('401')));
  const { socket: unread } = await connected();
  unread.pause();
  unread.write(rawRequest(['GET /large HTTP/1.1', HOST]) + upgrade('lp_wrong'));
  const lock = await lockLps();
  const waiting = [await requestUpgrade(lp.key), await requestUpgrade('lp_wrong')];
  await eventuallyEquals(lock.waiting, 2);

  const closed = sockets.close();
  const stopped = running.stop();
  expect(await answers(waiting)).toEqual([[503], [503]]);
  await stopped;
  await lock.free();
  await closed;
  expect(await corridor.db.query('slots', 'select from socket_slot where lp_id = $1', [lp.id])).toEqual([]);
  for (const { socket } of refused) socket.destroy();
  unread.destroy();
  stopping.clear();
});

import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { connectFeed, type FeedClient } from '../support/feed-client.ts';
import type { TestLp } from '../support/parties.ts';
import { rawConnection, rawRequest } from '../support/raw-http.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The thief of an LP’s key must lose the sockets that it opened, and not only be refused the next one. */

const corridor = await useCorridor();
/** A second API, which handles none of the changes. */
const other = await useCorridor({
  databaseUrl: corridor.databaseUrl,
  env: { TEMPORAL_NAMESPACE: corridor.config.temporalNamespace },
  worker: false,
});
const agent = await corridor.newAgent();

const [ENDED, REASON] = [4401, 'this key has ended: connect again with the present key'];

interface Watched extends FeedClient {
  reason: Promise<string>;
}

const connect = async (baseUrl: string, key: string): Promise<Watched> => {
  const client = await connectFeed(baseUrl, { key });
  const reason = once(client.socket, 'close').then(([, why]) => String(why));
  await client.next('snapshot');
  return { ...client, reason };
};
/** One socket at each API. */
const connectBoth = (key: string) =>
  Promise.all([corridor, other].map(({ config }) => connect(config.publicUrl, key)));
const rotate = async (lp: TestLp, overlap: unknown): Promise<string> =>
  (await expectStatus(201, corridor.admin('POST', `/api/admin/lps/${lp.id}/rotate`, { overlap }))).lp_key;
const expectEnded = async (clients: Watched[]) => {
  for (const { socket, closed, reason } of clients) {
    await eventuallyEquals(async () => socket.readyState, socket.CLOSED);
    expect([await closed, await reason]).toEqual([ENDED, REASON]);
  }
};
const expectAllServed = async (clients: FeedClient[]) => {
  const id = await agent.newOrder();
  for (const client of clients) {
    await client.next('order.open', ({ order }) => order.id === id);
    await client.close();
  }
};

test('a rotation without an overlap closes the sockets of the old key at every API', async () => {
  const lp = await corridor.newLp();
  const stolen = await connectBoth(lp.key);
  const bystander = await connectBoth((await corridor.newLp()).key);
  const key = await rotate(lp, 0);
  await expectEnded(stolen);
  await expectAllServed([...bystander, ...(await connectBoth(key))]);
});

test('the end of an overlap closes the sockets of the old key, and leaves those of the new one', async () => {
  const lp = await corridor.newLp();
  const old = await connectBoth(lp.key);
  const renewed = await connectBoth(await rotate(lp, '1h'));
  // Both keys are valid during the overlap, and a second rotation keeps the oldest one.
  const newest = await connect(corridor.config.publicUrl, await rotate(lp, '1h'));
  const ends = `update lp set older_expires_at = now() where id = $1`;
  await corridor.db.query('t-end-overlap', ends, [lp.id]);
  await expectEnded(old);
  await expectAllServed([...renewed, newest]);
});

test('a key that ends does not take along the sockets of the LP’s other keys', async () => {
  const lp = await corridor.newLp();
  const first = await connectBoth(lp.key);
  const key = await rotate(lp, '1h');
  const second = await connectBoth(key);
  const last = await rotate({ ...lp, key }, '0s');
  await expectEnded([...first, ...second]);
  await expectAllServed(await connectBoth(last));
});

test('a client that ignores the closing handshake is disconnected, and has received nothing since', async () => {
  const lp = await corridor.newLp();
  const { socket, closed, received } = rawConnection(other.config.publicUrl, { allowHalfOpen: true });
  const headers = [
    'Host: corridor',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
  ];
  const path = `GET /ws/orders?lp_key=${lp.key} HTTP/1.1`;
  socket.write(rawRequest([path, ...headers, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']));
  await eventually(async () => received().includes('snapshot'));
  const witness = await connect(other.config.publicUrl, lp.key);
  await rotate(lp, 0);
  await expectEnded([witness]);
  const id = await agent.newOrder();
  socket.once('end', () => socket.destroy());
  expect(await closed).toContain(REASON);
  expect(received()).not.toContain(`"id":${id}`);
});

test('a suspended LP keeps its socket for its own orders, and gets no offers there', async () => {
  const lp = await corridor.newLp();
  const own = await agent.newOrder();
  await expectStatus(200, lp.claim(own));
  const [here, there] = await connectBoth(lp.key);
  await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/suspend`, {}));
  const offered = await agent.newOrder();
  await expectStatus(200, lp.fiatSent(own));
  for (const client of [here, there] as FeedClient[]) {
    await client.next('order.updated', ({ order }) => order.id === own && order.status === 'fiat_sent');
    expect(client.ofType('order.open').filter(({ order }) => order.id === offered)).toEqual([]);
    await client.close();
  }
});

test('the looks at open sockets survive a database that does not answer them for a while', async () => {
  const failing = await startCorridor({ databaseUrl: corridor.databaseUrl, worker: false });
  try {
    const lp = await corridor.newLp();
    const client = await connect(failing.config.publicUrl, lp.key);
    const { query } = failing.shared.db;
    let refusedLooks = 0;
    failing.shared.db.query = ((name: string, ...rest: [string, unknown[]]) => {
      if (name !== 'access-ended' || refusedLooks > 0) return query(name, ...rest);
      refusedLooks += 1;
      return Promise.reject(new Error('the database is away'));
    }) as typeof query;
    await rotate(lp, 0);
    await expectEnded([client]);
    expect(refusedLooks).toBe(1);
  } finally {
    await failing.stop();
  }
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createLpClient,
  type FeedEvent,
  type FeedOptions,
  type FeedState,
  type LpOptions,
} from '../../client/src/index.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { createOrderFeed, type OrderFeed } from '../../src/notify/feed/order-feed.ts';
import { type SocketServer, serveSockets } from '../../src/notify/feed/socket-server.ts';
import { copiesOf } from '../support/copied-orders.ts';
import { startCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { changesUntil, currentCursor, describeChange } from '../support/feed-position.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import type { TestLp } from '../support/parties.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const databaseUrl = await freshDatabase();
const env = { TEMPORAL_NAMESPACE: 'test-client-feed', WS_MAX_CONNECTIONS: '20' };
const other = await startCorridor({ databaseUrl, env });
/** Two APIs on one database. The feeds follow one, which restarts; all other calls use the other. */
const followed = await startCorridor({ databaseUrl, env, worker: false });
const agent = await other.newAgent();
afterAll(async () => {
  await followed.stop();
  await other.stop();
});

interface Listener {
  events: FeedEvent[];
  states: FeedState[];
  /** Ends the feed. Rejects if the feed threw. */
  stop: () => Promise<void>;
}
const listeners: Listener[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.stop();
});

/** Follows the feed of an LP and records its events. */
function follow(lp: TestLp, options: FeedOptions = {}, connection: Partial<LpOptions> = {}): Listener {
  const stop = new AbortController();
  const [events, states]: [FeedEvent[], FeedState[]] = [[], []];
  const client = createLpClient({ baseUrl: followed.config.publicUrl, key: lp.key, ...connection });
  const feed = client.orderFeed({ signal: stop.signal, onState: (state) => states.push(state), ...options });
  const following = (async () => {
    for await (const event of feed) events.push(event);
  })();
  // `stop` reports the rejection.
  following.catch(() => undefined);
  const listener = {
    events,
    states,
    stop: () => {
      stop.abort();
      return following;
    },
  };
  listeners.push(listener);
  return listener;
}

const summarize = (events: FeedEvent[]) => events.map(describeChange);
const untilEvent = (listener: Listener, wanted: string) =>
  eventually(async () => summarize(listener.events).includes(wanted), 120_000);
const untilState = (listener: Listener, state: FeedState) =>
  eventuallyEquals(async () => listener.states.at(-1), state, 120_000);

/** Returns the service's changes after a cursor, up to the listener's last event. */
async function readChangesUntilLast(lp: TestLp, cursor: string, listener: Listener): Promise<string[]> {
  const last = summarize(listener.events).at(-1) ?? 'nothing';
  return (await changesUntil(lp, cursor, last)).map(describeChange);
}

describe('the order feed', () => {
  test('starts with the open orders, then reports changes and the recipient', async () => {
    const lp = await other.newLp();
    const [, open] = [await agent.newOrder(), await agent.newOrder()];
    // Otherwise the second order could come after the snapshot.
    await waitForOlderTransactions(other.db);
    const listener = follow(lp);
    await untilEvent(listener, `${open} open matched`);
    expect(listener.states).toEqual(['live']);
    // Only the last event of the snapshot has a cursor.
    const cursors = listener.events.map(({ cursor }) => typeof cursor);
    expect(cursors).toEqual([...cursors.slice(1).map(() => 'object'), 'string']);
    const id = await agent.newOrder({ recipient: '+254700999888' });
    await lp.claim(id);
    await lp.fiatSent(id);
    await untilEvent(listener, `${id} updated fiat_sent`);
    const ofOrder = summarize(listener.events).filter((text) => text.startsWith(`${id} `));
    expect(ofOrder).toEqual([
      `${id} open matched`,
      `${id} closed claimed`,
      `${id} updated claimed`,
      `${id} updated fiat_sent`,
    ]);
    const update = listener.events.find((event) => event.type === 'order.updated');
    expect(update?.order).toMatchObject({ id, recipient: '+254700999888' });
  });

  test('resumes after the cursor of any event, without a lost or repeated event', async () => {
    const lp = await other.newLp();
    const first = follow(lp, { cursor: await currentCursor(lp, agent) });
    const [mine, gone] = [await agent.newOrder(), await agent.newOrder()];
    await lp.claim(mine);
    await agent.cancel(gone);
    await untilEvent(first, `${gone} closed cancelled`);
    await first.stop();
    expect(first.events).toHaveLength(5);
    for (const [i, { cursor }] of first.events.slice(0, -1).entries()) {
      const resumed = follow(lp, { cursor });
      await untilEvent(resumed, `${gone} closed cancelled`);
      expect(summarize(resumed.events)).toEqual(summarize(first.events).slice(i + 1));
      await resumed.stop();
    }
  });

  test('reports each order once to feeds that start while orders are created', async () => {
    const lp = await other.newLp();
    const listenersOfAll = Array.from({ length: 5 }, () => follow(lp));
    const created = await Promise.all(Array.from({ length: 12 }, () => agent.newOrder()));
    for (const listener of listenersOfAll) {
      for (const id of created) await untilEvent(listener, `${id} open matched`);
      const opened = summarize(listener.events);
      expect(opened).toEqual([...new Set(opened)]);
    }
  });

  test('reports open orders in the requested currencies only', async () => {
    const lp = await other.newLp();
    const rate = { currency: 'UGX', rate_usd: 3_700 };
    await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/rates`, rate));
    const listener = follow(lp, { currencies: ['UGX'] });
    await untilState(listener, 'live');
    const [kes, ugx] = [await agent.newOrder(), await agent.newOrder({ currency: 'UGX', amount: 37_000 })];
    await untilEvent(listener, `${ugx} open matched`);
    expect(summarize(listener.events).filter((text) => text.startsWith(`${kes} `))).toEqual([]);
  });

  test('ends at the signal, and throws a permanent refusal', async () => {
    const lp = await other.newLp();
    const listener = follow(lp);
    await untilState(listener, 'live');
    await listener.stop();
    const readFirst = async (key: string, cursor?: string) => {
      const client = createLpClient({ baseUrl: followed.config.publicUrl, key });
      for await (const _ of client.orderFeed({ cursor: cursor ?? null })) break;
    };
    await expect(readFirst('lp_nobodys')).rejects.toMatchObject({ status: 401, code: 'lp_unauthorized' });
    for (const cursor of ['yesterday', '18446744073709551615.1.1'])
      await expect(readFirst(lp.key, cursor)).rejects.toMatchObject({
        code: 'validation_failed',
        fields: { cursor: [expect.any(String)] },
      });
  });
});

test('a failure of the service or of a proxy does not end the feed', async () => {
  const failures = [500, 520, 500];
  const stopped = new AbortController();
  const states: FeedState[] = [];
  let calls = 0;
  const client = createLpClient({
    ...{ baseUrl: 'http://127.0.0.1:1', key: 'lp_any' },
    fetch: async () => {
      const status = failures[calls++];
      if (status === undefined) stopped.abort();
      return new Response('<html>', { status: status ?? 500 });
    },
  });
  const feed = client.orderFeed({ signal: stopped.signal, onState: (state) => states.push(state) });
  for await (const event of feed) throw new Error(`there is no service, but ${event.type}`);
  expect([calls, states]).toEqual([failures.length + 1, ['away']]);
});

test('another server’s answer ends the feed only before the service has answered', async () => {
  const page = () => Response.json({ changes: [], cursor: '1.0.0', poll_again_ms: 1 });
  const strange = () => new Response('<html>', { status: 404 });
  const read = async (answers: (() => Response)[]) => {
    const stopped = new AbortController();
    const states: FeedState[] = [];
    const client = createLpClient({
      ...{ baseUrl: 'http://127.0.0.1:1', key: 'lp_any' },
      fetch: async () => {
        const answer = answers.shift();
        if (!answer) stopped.abort();
        return (answer ?? strange)();
      },
    });
    const options = {
      cursor: '1.0.0',
      signal: stopped.signal,
      onState: (state: FeedState) => states.push(state),
    };
    for await (const event of client.orderFeed(options)) throw new Error(`no event, but ${event.type}`);
    return states;
  };
  await expect(read([strange])).rejects.toMatchObject({ code: 'unknown', status: 404 });
  expect(await read([page, strange, () => new Response('<html>')])).toEqual(['polling', 'away']);
});

test('a service that asks for no pause is not asked without one', async () => {
  let calls = 0;
  const stopped = new AbortController();
  const client = createLpClient({
    ...{ baseUrl: 'http://127.0.0.1:1', key: 'lp_any' },
    fetch: async () => {
      calls += 1;
      if (calls === 1) setTimeout(() => stopped.abort(), 500);
      return new Response('{}', { status: 503, headers: { 'retry-after': '0' } });
    },
  });
  const feed = client.orderFeed({ signal: stopped.signal });
  for await (const event of feed) throw new Error(`there is no service, but ${event.type}`);
  expect(calls).toBeLessThan(10);
});

test('no event is lost or repeated over restarts of the API', async () => {
  const lp = await other.newLp();
  const start = await currentCursor(lp, agent);
  const listener = follow(lp, { cursor: start });
  await untilState(listener, 'live');
  let last = 0;
  for (let round = 0; round < 3; round++) {
    await agent.newOrder();
    const mine = await agent.newOrder();
    const stopping = followed.stopApi();
    await lp.claim(mine);
    await agent.newOrder();
    await stopping;
    await untilState(listener, 'away');
    await lp.fiatSent(mine);
    last = await agent.newOrder();
    await followed.startApi();
    await untilState(listener, 'live');
  }
  await untilEvent(listener, `${last} open matched`);
  expect(summarize(listener.events)).toEqual(await readChangesUntilLast(lp, start, listener));
});

describe('behind a proxy', () => {
  let front: Server;
  let feed: OrderFeed;
  let sockets: SocketServer | undefined;
  let baseUrl: string;
  beforeAll(async () => {
    feed = createOrderFeed(other.db, other.shared.channel, other.shared.log);
    // Forwards requests but no WebSockets, like many proxies.
    front = createServer(async ({ url, headers: { authorization = '' } }, response) => {
      const answer = await fetch(other.config.publicUrl + url, { headers: { authorization } });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await sockets?.close();
    await feed.close();
    front.closeAllConnections();
    front.close();
  });
  /** From now on the proxy accepts WebSockets. The heartbeat is short, so that a test can wait for it. */
  const acceptSockets = () => {
    sockets ??= serveSockets(front, {
      db: other.db,
      feed,
      log: other.shared.log,
      maxConnections: 20,
      authFailureLimit: 0,
      settings: other.config,
      heartbeatMs: 400,
      metrics: other.shared.metrics.sockets,
    });
  };

  test('without WebSockets the feed polls, and switches to a socket as soon as one opens', async () => {
    const lp = await other.newLp();
    const open = await agent.newOrder();
    const listener = follow(lp, {}, { baseUrl });
    await untilEvent(listener, `${open} open matched`);
    expect(listener.states).toEqual(['polling']);
    const start = await currentCursor(lp, agent);
    const [mine, gone] = [await agent.newOrder(), await agent.newOrder()];
    await lp.claim(mine);
    await agent.cancel(gone);
    await untilEvent(listener, `${mine} updated claimed`);
    await untilEvent(listener, `${gone} closed cancelled`);
    expect(listener.states).toEqual(['polling']);
    acceptSockets();
    await lp.fiatSent(mine);
    await untilState(listener, 'live');
    const last = await agent.newOrder();
    await untilEvent(listener, `${last} open matched`);
    const seen = summarize(listener.events);
    expect(seen.slice(seen.indexOf(`${mine} open matched`))).toEqual(
      await readChangesUntilLast(lp, start, listener),
    );
  });

  test('the feed notices a dead connection, and receives what it missed', async () => {
    acceptSockets();
    const proxy = await startTcpProxy('127.0.0.1', (front.address() as AddressInfo).port);
    try {
      const lp = await other.newLp();
      const start = await currentCursor(lp, agent);
      const connection = { baseUrl: `http://127.0.0.1:${proxy.port}`, timeoutMs: 2_000 };
      const listener = follow(lp, { cursor: start }, connection);
      await untilState(listener, 'live');
      proxy.partition();
      const missed = await agent.newOrder();
      await untilState(listener, 'away');
      expect(listener.events).toEqual([]);
      proxy.restore();
      await untilEvent(listener, `${missed} open matched`);
      await untilState(listener, 'live');
      const last = await agent.newOrder();
      await untilEvent(listener, `${last} open matched`);
      expect(summarize(listener.events)).toEqual(await readChangesUntilLast(lp, start, listener));
      await listener.stop();
    } finally {
      await proxy.close();
    }
  });
});

test('unread events wait, and none is lost', async () => {
  const corridor = await startCorridor({ worker: false });
  try {
    const [payer, lp] = [await corridor.newUnlimitedAgent(), await corridor.newLp()];
    const client = createLpClient({ baseUrl: corridor.config.publicUrl, key: lp.key });
    const first = await payer.newOrder();
    const feed = client.orderFeed();
    expect((await feed.next()).value).toMatchObject({ type: 'order.open', order: { id: first } });
    await copiesOf(corridor, first, 5_000);
    const last = await payer.newOrder();
    const ids: number[] = [];
    for await (const event of feed) {
      if (event.type === 'order.open') ids.push(event.order.id);
      if (ids.at(-1) === last) break;
    }
    expect([ids.length, new Set(ids).size]).toEqual([5_001, 5_001]);
  } finally {
    await corridor.stop();
  }
});

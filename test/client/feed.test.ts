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
import { createOrderFeed, type OrderFeed } from '../../src/stream/feed.ts';
import { type SocketServer, serveSockets } from '../../src/stream/socket-server.ts';
import {
  type Agent,
  cancel,
  claim,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  type TestLp,
} from '../support/actors.ts';
import { copiesOf } from '../support/copied-orders.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { changesUntil, inWords, placeNow } from '../support/feed-place.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

/** Two APIs on one database: one that is followed and restarted, one that everything else is asked of. */
let followed: TestCorridor;
let other: TestCorridor;
let agent: Agent;
beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  const env = { TEMPORAL_NAMESPACE: 'test-client-feed', WS_MAX_CONNECTIONS: '20' };
  other = await startCorridor({ databaseUrl, env });
  followed = await startCorridor({ databaseUrl, env, worker: false });
  agent = await newAgent(other);
});
afterAll(async () => {
  await followed.stop();
  await other.stop();
});

interface Listener {
  events: FeedEvent[];
  states: FeedState[];
  /** Rejects with what the feed threw. */
  stop: () => Promise<void>;
}
const listeners: Listener[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.stop();
});

/** An LP that hears, as any user of the client would. */
function listen(lp: TestLp, options: FeedOptions = {}, connection: Partial<LpOptions> = {}): Listener {
  const stop = new AbortController();
  const [events, states]: [FeedEvent[], FeedState[]] = [[], []];
  const client = createLpClient({ baseUrl: followed.config.publicUrl, key: lp.key, ...connection });
  const feed = client.orderFeed({ signal: stop.signal, onState: (state) => states.push(state), ...options });
  const heard = (async () => {
    for await (const event of feed) events.push(event);
  })();
  heard.catch(() => undefined);
  const listener = {
    events,
    states,
    stop: () => {
      stop.abort();
      return heard;
    },
  };
  listeners.push(listener);
  return listener;
}

const told = (events: FeedEvent[]) => events.map(inWords);
const until = (listener: Listener, wanted: string) =>
  eventually(async () => told(listener.events).includes(wanted), 120_000);
const untilState = (listener: Listener, state: FeedState) =>
  eventuallyEquals(async () => listener.states.at(-1), state, 120_000);

/** What the service has to say behind a cursor, up to the last that was heard. */
async function saidUntilLast(lp: TestLp, cursor: string, listener: Listener): Promise<string[]> {
  const last = told(listener.events).at(-1) ?? 'nothing';
  return (await changesUntil(lp, cursor, last)).map(inWords);
}

describe('the order feed', () => {
  test('begins with what is open, and tells what happens, with whom to pay', async () => {
    const lp = await newLp(other);
    const [, before] = [await newOrder(agent), await newOrder(agent)];
    const listener = listen(lp);
    await until(listener, `${before} open matched`);
    expect(listener.states).toEqual(['live']);
    // Only behind the last of them can one go on.
    const cursors = listener.events.map(({ cursor }) => typeof cursor);
    expect(cursors).toEqual([...cursors.slice(1).map(() => 'object'), 'string']);
    const id = await newOrder(agent, { recipient: '+254700999888' });
    await claim(lp, id);
    await fiatSent(lp, id);
    await until(listener, `${id} updated fiat_sent`);
    const about = told(listener.events).filter((text) => text.startsWith(`${id} `));
    expect(about).toEqual([
      `${id} open matched`,
      `${id} closed claimed`,
      `${id} updated claimed`,
      `${id} updated fiat_sent`,
    ]);
    const own = listener.events.find((event) => event.type === 'order.updated');
    expect(own?.order).toMatchObject({ id, recipient: '+254700999888' });
  });

  test('goes on behind the cursor of any event, with nothing lost and nothing twice', async () => {
    const lp = await newLp(other);
    const first = listen(lp, { cursor: await placeNow(lp, agent) });
    const [mine, gone] = [await newOrder(agent), await newOrder(agent)];
    await claim(lp, mine);
    await cancel(agent, gone);
    await until(first, `${gone} closed cancelled`);
    await first.stop();
    expect(first.events).toHaveLength(5);
    for (const [i, { cursor }] of first.events.slice(0, -1).entries()) {
      const again = listen(lp, { cursor });
      await until(again, `${gone} closed cancelled`);
      expect(told(again.events)).toEqual(told(first.events).slice(i + 1));
      await again.stop();
    }
  });

  test('tells each order once to those that begin while orders are made', async () => {
    const lp = await newLp(other);
    const all = Array.from({ length: 5 }, () => listen(lp));
    const made = await Promise.all(Array.from({ length: 12 }, () => newOrder(agent)));
    for (const listener of all) {
      for (const id of made) await until(listener, `${id} open matched`);
      const opened = told(listener.events);
      expect(opened).toEqual([...new Set(opened)]);
    }
  });

  test('tells of the currencies alone that were asked for', async () => {
    const lp = await newLp(other);
    await newLp(other, { currency: 'UGX', rate: 3_700 });
    const listener = listen(lp, { currencies: ['UGX'] });
    await untilState(listener, 'live');
    const [kes, ugx] = [await newOrder(agent), await newOrder(agent, { currency: 'UGX', amount: 37_000 })];
    await until(listener, `${ugx} open matched`);
    expect(told(listener.events).filter((text) => text.startsWith(`${kes} `))).toEqual([]);
  });

  test('ends where it is told to, and throws what is refused for good', async () => {
    const lp = await newLp(other);
    const listener = listen(lp);
    await untilState(listener, 'live');
    await listener.stop();
    const refused = async (key: string, cursor?: string) => {
      const client = createLpClient({ baseUrl: followed.config.publicUrl, key });
      for await (const _ of client.orderFeed({ cursor: cursor ?? null })) break;
    };
    await expect(refused('lp_nobodys')).rejects.toMatchObject({ status: 401, code: 'lp_unauthorized' });
    for (const cursor of ['yesterday', '18446744073709551615.1.1'])
      await expect(refused(lp.key, cursor)).rejects.toMatchObject({
        code: 'validation_failed',
        fields: { cursor: [expect.any(String)] },
      });
  });
});

test('over restarts of the API nothing is missed and nothing told twice', async () => {
  const lp = await newLp(other);
  const start = await placeNow(lp, agent);
  const listener = listen(lp, { cursor: start });
  await untilState(listener, 'live');
  let last = 0;
  for (let round = 0; round < 3; round++) {
    await newOrder(agent);
    const mine = await newOrder(agent);
    const stopping = followed.stopApi();
    await claim(lp, mine);
    await newOrder(agent);
    await stopping;
    await untilState(listener, 'away');
    await fiatSent(lp, mine);
    last = await newOrder(agent);
    await followed.startApi();
    await untilState(listener, 'live');
  }
  await until(listener, `${last} open matched`);
  expect(told(listener.events)).toEqual(await saidUntilLast(lp, start, listener));
});

describe('behind a proxy', () => {
  let front: Server;
  let feed: OrderFeed;
  let sockets: SocketServer | undefined;
  let baseUrl: string;
  beforeAll(async () => {
    feed = createOrderFeed(other.db, other.shared.channel, other.shared.log);
    // Asks the service what it is asked itself, and knows nothing of sockets, as many proxies do not.
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
  /** From now on it lets sockets through, with a heartbeat that a test can wait for. */
  const letThrough = () => {
    sockets ??= serveSockets(front, {
      db: other.db,
      feed,
      log: other.shared.log,
      maxConnections: 20,
      authFailureLimit: 0,
      trustProxyHops: 0,
      heartbeatMs: 400,
      metrics: other.shared.metrics.sockets,
    });
  };

  test('that lets no socket through it is asked for, and told by socket as soon as one opens', async () => {
    const lp = await newLp(other);
    const open = await newOrder(agent);
    const listener = listen(lp, {}, { baseUrl });
    await until(listener, `${open} open matched`);
    expect(listener.states).toEqual(['polling']);
    const start = await placeNow(lp, agent);
    const [mine, gone] = [await newOrder(agent), await newOrder(agent)];
    await claim(lp, mine);
    await cancel(agent, gone);
    await until(listener, `${mine} updated claimed`);
    await until(listener, `${gone} closed cancelled`);
    expect(listener.states).toEqual(['polling']);
    letThrough();
    await fiatSent(lp, mine);
    await untilState(listener, 'live');
    const last = await newOrder(agent);
    await until(listener, `${last} open matched`);
    const since = told(listener.events);
    expect(since.slice(since.indexOf(`${mine} open matched`))).toEqual(
      await saidUntilLast(lp, start, listener),
    );
  });

  test('a line that has gone dead is noticed, and what was said meanwhile is heard', async () => {
    letThrough();
    const wire = await startTcpProxy('127.0.0.1', (front.address() as AddressInfo).port);
    try {
      const lp = await newLp(other);
      const start = await placeNow(lp, agent);
      const connection = { baseUrl: `http://127.0.0.1:${wire.port}`, timeoutMs: 2_000 };
      const listener = listen(lp, { cursor: start }, connection);
      await untilState(listener, 'live');
      wire.lose();
      const missed = await newOrder(agent);
      await untilState(listener, 'away');
      expect(listener.events).toEqual([]);
      wire.mend();
      await until(listener, `${missed} open matched`);
      await untilState(listener, 'live');
      const last = await newOrder(agent);
      await until(listener, `${last} open matched`);
      expect(told(listener.events)).toEqual(await saidUntilLast(lp, start, listener));
      await listener.stop();
    } finally {
      await wire.close();
    }
  });
});

test('what nobody takes waits, and none of it is lost', async () => {
  const corridor = await startCorridor({ worker: false });
  try {
    const [payer, lp] = [await newAgent(corridor), await newLp(corridor)];
    const client = createLpClient({ baseUrl: corridor.config.publicUrl, key: lp.key });
    const first = await newOrder(payer);
    const feed = client.orderFeed();
    expect((await feed.next()).value).toMatchObject({ type: 'order.open', order: { id: first } });
    await copiesOf(corridor, first, 5_000);
    const last = await newOrder(payer);
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

import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { FeedMessage } from '../../src/notify/feed/message-types.ts';
import type { TestLp } from './actors.ts';
import type { Random } from './random.ts';

/** An LP's client that resumes after each lost connection. Each loss may drop any part of what the API sent last. */
export interface Follower {
  lpId: number;
  /** The changes that it received, in order: type, order id, and status or reason. */
  receivedChanges: () => string[];
  /** Breaks its connection. The client reconnects by itself. */
  cut: () => void;
  /** The number of connections that it has opened. */
  connections: () => number;
  stop: () => Promise<void>;
}

/** The part of a message that the audit needs. Thousands of clients keep their messages in memory. */
interface Received {
  change: string | undefined;
  cursor: string;
}

interface Connection {
  socket: WebSocket;
  received: Received[];
  closed: Promise<void>;
}

/** Temporary refusals: the LP's last connection is still being closed, or the API is restarting. */
const TEMPORARY = [429, 503, 'ECONNREFUSED', 'ECONNRESET'];

/** Connects, and resolves when the snapshot of open orders has arrived. */
export async function follow(
  baseUrl: string,
  { id: lpId, key }: Pick<TestLp, 'id' | 'key'>,
  random: Random,
): Promise<Follower> {
  const kept: Received[] = [];
  let connections = 0;
  let stopping = false;
  let current = await connected();
  while (current.received.length < 2) await delay(10);

  const following = (async () => {
    for (;;) {
      await current.closed;
      // As if the connection had broken earlier, between any two messages. The first snapshot is always kept.
      const least = kept.length === 0 ? 2 : 0;
      const arrived = stopping ? current.received.length : random.integer(least, current.received.length);
      kept.push(...current.received.slice(0, arrived));
      current = { ...current, received: [] };
      if (stopping) return;
      current = await connected();
    }
  })();

  const changes = (received: Received[]) => received.flatMap(({ change }) => change ?? []);
  return {
    lpId,
    receivedChanges: () => changes([...kept, ...current.received]),
    cut: () => current.socket.terminate(),
    connections: () => connections,
    stop: async () => {
      stopping = true;
      current.socket.close();
      await following;
    },
  };

  async function connected(): Promise<Connection> {
    for (;;) {
      const made = await connect(baseUrl, key, kept.at(-1)?.cursor).catch((reason) => {
        if (!TEMPORARY.includes(reason.status ?? reason.code)) throw reason;
      });
      connections += 1;
      if (made) return made;
      await delay(random.integer(50, 250));
    }
  }
}

function connect(baseUrl: string, key: string, cursor: string | undefined): Promise<Connection> {
  const url = new URL('/ws/orders', baseUrl.replace(/^http/, 'ws'));
  url.searchParams.set('lp_key', key);
  if (cursor) url.searchParams.set('cursor', cursor);
  const socket = new WebSocket(url);
  const received: Received[] = [];
  socket.on('message', (data) => {
    const message: FeedMessage = JSON.parse(String(data));
    if (message.type === 'error') throw new Error(`the feed sent an error: ${message.error}`);
    received.push({ change: changeIn(message), cursor: message.cursor });
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve({ socket, received, closed }));
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      reject(Object.assign(new Error('refused'), { status: response.statusCode }));
    });
  });
}

const changeIn = (message: FeedMessage): string | undefined => {
  if (message.type === 'order.closed') return `${message.type} ${message.id} ${message.reason}`;
  if (message.type === 'order.open' || message.type === 'order.updated')
    return `${message.type} ${message.order.id} ${message.order.status}`;
  return undefined;
};

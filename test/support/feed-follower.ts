import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { FeedMessage } from '../../src/stream/messages.ts';
import type { TestLp } from './actors.ts';
import type { Random } from './random.ts';

/** An LP's client that is cut off again and again, with only some of what was sent having come, and resumes. */
export interface Follower {
  lpId: number;
  /** What it was told, in turn: the type of each change, and the order and version that it is about. */
  heard: () => string[];
  /** Breaks its connection; it makes a new one by itself. */
  cut: () => void;
  /** How many connections it has made. */
  connections: () => number;
  stop: () => Promise<void>;
}

/** A message by what the audit needs of it; thousands of clients keep them. */
interface Told {
  change: string | undefined;
  cursor: string;
}

interface Connection {
  socket: WebSocket;
  told: Told[];
  closed: Promise<void>;
}

/** What a connection may be refused for while its LP's last one is being cleared away, or the API is. */
const PASSING = [429, 503, 'ECONNREFUSED', 'ECONNRESET'];

/** Connects, and resolves when the snapshot of what is open has come. */
export async function follow(
  baseUrl: string,
  { id: lpId, key }: Pick<TestLp, 'id' | 'key'>,
  random: Random,
): Promise<Follower> {
  const kept: Told[] = [];
  let connections = 0;
  let stopping = false;
  let current = await connected();
  while (current.told.length < 2) await delay(10);

  const following = (async () => {
    for (;;) {
      await current.closed;
      // As if the line had broken earlier, between any two messages. The first snapshot is where it all begins.
      const least = kept.length === 0 ? 2 : 0;
      const came = stopping ? current.told.length : random.integer(least, current.told.length);
      kept.push(...current.told.slice(0, came));
      current = { ...current, told: [] };
      if (stopping) return;
      current = await connected();
    }
  })();

  const changes = (told: Told[]) => told.flatMap(({ change }) => change ?? []);
  return {
    lpId,
    heard: () => changes([...kept, ...current.told]),
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
        if (!PASSING.includes(reason.status ?? reason.code)) throw reason;
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
  const told: Told[] = [];
  socket.on('message', (data) => {
    const message: FeedMessage = JSON.parse(String(data));
    if (message.type === 'error') throw new Error(`the feed says: ${message.error}`);
    told.push({ change: changeIn(message), cursor: message.cursor });
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve({ socket, told, closed }));
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

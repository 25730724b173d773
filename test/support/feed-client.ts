import { WebSocket } from 'ws';
import type { FeedMessage } from '../../src/notify/feed/message-types.ts';
import { eventually } from './eventually.ts';

type Typed<T extends FeedMessage['type']> = Extract<FeedMessage, { type: T }>;

/** An LP's connection to the order feed. */
export interface FeedClient {
  socket: WebSocket;
  received: FeedMessage[];
  /** Resolves with the first message of this type that satisfies `wanted`. */
  next: <T extends FeedMessage['type']>(
    type: T,
    wanted?: (message: Typed<T>) => boolean,
  ) => Promise<Typed<T>>;
  ofType: <T extends FeedMessage['type']>(type: T) => Typed<T>[];
  /** The close code of the connection. */
  closed: Promise<number>;
  close: () => Promise<void>;
}

export interface FeedOptions {
  key?: string;
  currencies?: string;
  cursor?: string;
  headers?: Record<string, string>;
}

/** Connects. Rejects with `{status, body}` if the service refuses the upgrade. */
export function connectFeed(
  baseUrl: string,
  { key, currencies, cursor, headers = {} }: FeedOptions,
): Promise<FeedClient> {
  const url = new URL('/ws/orders', baseUrl.replace(/^http/, 'ws'));
  if (key) url.searchParams.set('lp_key', key);
  if (currencies) url.searchParams.set('currencies', currencies);
  if (cursor) url.searchParams.set('cursor', cursor);
  const socket = new WebSocket(url, { headers });
  const received: FeedMessage[] = [];
  socket.on('message', (data) => received.push(JSON.parse(String(data))));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const ofType: FeedClient['ofType'] = (type) =>
    received.filter((m): m is Typed<typeof type> => m.type === type);
  const client: FeedClient = {
    socket,
    received,
    ofType,
    next: (type, wanted = () => true) => eventually(async () => ofType(type).find(wanted)) as never,
    closed,
    close: async () => {
      socket.close();
      await closed;
    },
  };
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(client));
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => reject({ status: response.statusCode, body: JSON.parse(text) }));
    });
  });
}

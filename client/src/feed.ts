import type { ChangesPage, FeedMessage, Offer, OpenOrders, OrderChange } from './contract.ts';
import { socketMessages } from './socket.ts';
import {
  createTransport,
  isPassing,
  pause,
  type Transport,
  type TransportOptions,
  trimmed,
} from './transport.ts';

/**
 * One thing that happened: `order.open`, `order.closed`, or `order.updated` of an order of the LP's own. `cursor`: where to
 * go on, in another process, once this has been dealt with; null among the orders that were open at the beginning, until the
 * last of them: then it is begun anew.
 */
export type FeedEvent = WithCursor<OrderChange>;
type WithCursor<Change> = Change extends unknown ? Omit<Change, 'cursor'> & { cursor: string | null } : never;

/** How the feed comes: by socket, by asking again and again, or not at all, which is tried again. */
export type FeedState = 'live' | 'polling' | 'away';

export interface FeedOptions {
  /** Hears of open orders in these alone. */
  currencies?: readonly string[];
  /** Of an event of before: goes on behind it. Without one it begins with all orders that are open. */
  cursor?: string | null;
  /** Ends the feed, without an error. */
  signal?: AbortSignal;
  /** Told when the way by which the feed comes changes; `why` it is not, or no more, by socket. */
  onState?: (state: FeedState, why?: Error) => void;
}

const EVERYTHING = '1970-01-01T00:00:00Z';
/** Until a service that gave no answer is asked again. */
const AWAY_MS = 1_000;
/** Between two attempts at a socket. */
const [FIRST_RETRY_MS, LONGEST_RETRY_MS] = [500, 30_000];

/**
 * The order feed of one LP. It comes by WebSocket, and where none can be had, or while one is away, by asking again and again;
 * both go by the same cursors, so that from one to the other, and over restarts of the service, nothing is missed and nothing
 * told twice. What is not taken yet is not read from the service either. Throws a `CorridorError` when the service refuses it
 * for good: the key, or the cursor.
 */
export async function* orderFeed(
  options: TransportOptions & { key: string },
  { currencies = [], cursor = null, signal, onState = () => {} }: FeedOptions = {},
): AsyncGenerator<FeedEvent, void> {
  // What fails is tried again here, by the one way or the other.
  const call = createTransport({ ...options, attempts: 1 });
  const told = createTold(cursor);
  const changeState = whenChanged(onState);
  let failures = 0;
  try {
    while (!signal?.aborted) {
      const { opened, why } = yield* bySocket();
      failures = opened ? 0 : failures + 1;
      const retryMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
      yield* byPolling(retryMs, why);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }

  async function* bySocket(): AsyncGenerator<FeedEvent, { opened: boolean; why: Error | undefined }> {
    const url = new URL(`${trimmed(options.baseUrl).replace(/^http/, 'ws')}/ws/orders`);
    if (currencies.length > 0) url.searchParams.set('currencies', currencies.join());
    const from = told.cursor();
    if (from !== null) url.searchParams.set('cursor', from);
    const socket = { url, key: options.key, timeoutMs: options.timeoutMs ?? 10_000, signal };
    const end: { opened: boolean; why: Error | undefined } = { opened: false, why: undefined };
    const ended = (why: Error | undefined) => {
      end.why = why;
    };
    for await (const message of socketMessages(socket, ended)) {
      if (message.type === 'hello') continue;
      // The cursor is none of this feed's. Asked by the other way, the service says so in its own words.
      if (message.type === 'error') break;
      end.opened = true;
      changeState('live');
      if (message.type === 'snapshot') yield* told.snapshot(message.orders, message.cursor);
      else if (isChange(message)) yield* told.changes([message]);
    }
    return end;
  }

  /** Asks at least once, and until the time is over. */
  async function* byPolling(forMs: number, why: Error | undefined): AsyncGenerator<FeedEvent, void> {
    const until = performance.now() + forMs;
    const left = () => Math.max(0, until - performance.now());
    do {
      const { offers, page, againMs } = await ask(why);
      if (page) {
        changeState('polling', why);
        if (offers) yield* told.snapshot(offers, page.cursor);
        yield* told.changes(page.changes, page.cursor);
      }
      await pause(Math.min(againMs, left()), signal);
    } while (left() > 0);
  }

  async function ask(why: Error | undefined): Promise<Asked> {
    try {
      const answer = await next(call, { key: options.key, currencies, cursor: told.cursor(), signal });
      return { ...answer, againMs: answer.page.poll_again_ms };
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error;
      changeState('away', why ?? error);
      return { againMs: error.retryAfter === null ? AWAY_MS : error.retryAfter * 1_000 };
    }
  }
}

const isChange = (message: FeedMessage): message is OrderChange => message.type.startsWith('order.');

/** What is next, with all that is open where it is the beginning. */
interface Answer {
  offers?: Offer[];
  page: ChangesPage;
}

/** Without an answer, the service is away. */
type Asked = Partial<Answer> & { againMs: number };

interface Question {
  key: string;
  currencies: readonly string[];
  cursor: string | null;
  signal: AbortSignal | undefined;
}

async function next(call: Transport, { key, currencies, cursor, signal }: Question): Promise<Answer> {
  const get = <Body>(what: 'changes' | 'stream', query: Record<string, string>) => {
    const filter: Record<string, string> = currencies.length > 0 ? { currencies: currencies.join() } : {};
    const search = new URLSearchParams({ ...filter, ...query });
    return call<Body>('GET', `/api/lp/${encodeURIComponent(key)}/orders/${what}?${search}`, { signal });
  };
  if (cursor !== null) return { page: await get<ChangesPage>('changes', { cursor }) };
  // The place first: what happens while the open orders are read is told behind them.
  const page = await get<ChangesPage>('changes', {});
  const offers = new Map<number, Offer>();
  for (let from: Record<string, string> = { since: EVERYTHING }; ; ) {
    const open = await get<OpenOrders>('stream', from);
    if (open.count === 0) return { offers: [...offers.values()], page };
    for (const order of open.orders) offers.set(order.id, order);
    from = { cursor: open.cursor };
  }
}

/** What has been told, and as far as where. */
interface Told {
  cursor: () => string | null;
  snapshot: (orders: Offer[], cursor: string) => Generator<FeedEvent, void>;
  /** `cursor`: behind all of them. */
  changes: (changes: OrderChange[], cursor?: string) => Generator<FeedEvent, void>;
}

function createTold(start: string | null): Told {
  let place = start;
  /** The open orders of the beginning, by their deadline: one that opened while they were read is told behind them as well. */
  const shown = new Map<number, string>();
  return {
    cursor: () => place,
    *snapshot(orders, cursor) {
      for (const order of orders) shown.set(order.id, order.expires_at);
      place = cursor;
      const last = orders.at(-1);
      for (const order of orders) yield { type: 'order.open', order, cursor: order === last ? cursor : null };
    },
    *changes(changes, cursor) {
      for (const change of changes) {
        const repeats =
          change.type === 'order.open' && shown.get(change.order.id) === change.order.expires_at;
        if (change.type === 'order.closed') shown.delete(change.id);
        place = change.cursor;
        if (!repeats) yield change;
      }
      if (cursor !== undefined) place = cursor;
    },
  };
}

function whenChanged(onState: NonNullable<FeedOptions['onState']>): NonNullable<FeedOptions['onState']> {
  let last: FeedState | undefined;
  return (state, why) => {
    if (state === last) return;
    last = state;
    onState(state, why);
  };
}

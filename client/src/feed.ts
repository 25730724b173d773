import type { ChangesPage, FeedMessage, Offer, OpenOrders, OrderChange } from './contract.ts';
import { CorridorError } from './errors.ts';
import { socketMessages } from './socket.ts';
import {
  createTransport,
  isTransient,
  pause,
  type Transport,
  type TransportOptions,
  trimSlashes,
} from './transport.ts';

/**
 * One event: `order.open`, `order.closed`, or `order.updated` for an order of this LP. Store `cursor` after you have
 * handled the event, and another process can resume the feed there. `cursor` is null for the orders that were open at the
 * start, except for the last of them: a feed that stops earlier starts again with all open orders.
 */
export type FeedEvent = WithCursor<OrderChange>;
type WithCursor<Change> = Change extends unknown ? Omit<Change, 'cursor'> & { cursor: string | null } : never;

/** How events arrive: over a WebSocket, by polling, or not at all while the service does not answer. */
export type FeedState = 'live' | 'polling' | 'away';

export interface FeedOptions {
  /** Limits the open orders to these currencies. */
  currencies?: readonly string[];
  /** The cursor of an earlier event: the feed resumes after it. Without a cursor it starts with all open orders. */
  cursor?: string | null;
  /** Ends the feed without an error. */
  signal?: AbortSignal;
  /** Called when the state changes. `why` explains why the feed is not live. */
  onState?: (state: FeedState, why?: Error) => void;
}

const BEFORE_ALL_ORDERS = '1970-01-01T00:00:00Z';
/** The pause after a request without an answer. */
const AWAY_MS = 1_000;
/** The pause between two attempts to open a socket. */
const [FIRST_RETRY_MS, LONGEST_RETRY_MS] = [500, 30_000];

/**
 * Follows the order feed of one LP. Events arrive over a WebSocket; while none can be opened, the feed polls. Both use the
 * same cursors, so a switch between them, or a restart of the service, loses and repeats no event. The feed stops reading
 * from the service while the caller is busy. Throws a `CorridorError` if the service refuses the key or the cursor.
 */
export async function* orderFeed(
  options: TransportOptions & { key: string },
  { currencies = [], cursor = null, signal, onState = () => {} }: FeedOptions = {},
): AsyncGenerator<FeedEvent, void> {
  // The loop below retries, so the transport does not.
  const call = createTransport({ ...options, attempts: 1 });
  const progress = trackProgress(cursor);
  const changeState = notifyOnChange(onState);
  let failures = 0;
  /** Whether the service has answered once. After that, the answer of another server comes from a proxy. */
  let hasAnswered = false;
  try {
    while (!signal?.aborted) {
      const { opened, why } = yield* followSocket();
      failures = opened ? 0 : failures + 1;
      const retryMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
      yield* poll(retryMs, why);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }

  /** Yields events until the socket closes. */
  async function* followSocket(): AsyncGenerator<FeedEvent, { opened: boolean; why: Error | undefined }> {
    const url = new URL(`${trimSlashes(options.baseUrl).replace(/^http/, 'ws')}/ws/orders`);
    if (currencies.length > 0) url.searchParams.set('currencies', currencies.join());
    const from = progress.cursor();
    if (from !== null) url.searchParams.set('cursor', from);
    const socket = { url, key: options.key, timeoutMs: options.timeoutMs ?? 10_000, signal };
    const end: { opened: boolean; why: Error | undefined } = { opened: false, why: undefined };
    const onEnd = (why: Error | undefined) => {
      end.why = why;
    };
    for await (const message of socketMessages(socket, onEnd)) {
      if (message.type === 'hello') continue;
      // The service does not accept the cursor. Polling with it makes the service explain why, and throws that.
      if (message.type === 'error') break;
      end.opened = true;
      hasAnswered = true;
      changeState('live');
      if (message.type === 'snapshot') yield* progress.snapshot(message.orders, message.cursor);
      else if (isChange(message)) yield* progress.changes([message]);
    }
    return end;
  }

  /** Polls at least once, and until the time is up. */
  async function* poll(forMs: number, why: Error | undefined): AsyncGenerator<FeedEvent, void> {
    const until = performance.now() + forMs;
    const remainingMs = () => Math.max(0, until - performance.now());
    do {
      const { offers, page, nextPollMs } = await requestNext(why);
      if (page) {
        changeState('polling', why);
        if (offers) yield* progress.snapshot(offers, page.cursor);
        yield* progress.changes(page.changes, page.cursor);
      }
      await pause(Math.min(nextPollMs, remainingMs()), signal);
    } while (remainingMs() > 0);
  }

  async function requestNext(why: Error | undefined): Promise<PollResult> {
    try {
      const next = await readNext(call, { key: options.key, currencies, cursor: progress.cursor(), signal });
      hasAnswered = true;
      return { ...next, nextPollMs: next.page.poll_again_ms };
    } catch (error) {
      if (signal?.aborted || !isAway(error, hasAnswered)) throw error;
      changeState('away', why ?? error);
      return { nextPollMs: Math.max(AWAY_MS, (error.retryAfter ?? 0) * 1_000) };
    }
  }
}

/** Whether the service may answer later: a failure of its own, or of a proxy, is no refusal of the key or the cursor. */
const isAway = (error: unknown, hasAnswered: boolean): error is CorridorError =>
  isTransient(error) ||
  (error instanceof CorridorError &&
    ((error.status ?? 0) >= 500 || (hasAnswered && isOfAnotherServer(error))));

/** A proxy may remove the code of the service's own refusals, which have these statuses. */
const isOfAnotherServer = ({ code, status }: CorridorError): boolean =>
  code === 'unknown' && ![400, 401, 403].includes(status ?? 0);

const isChange = (message: FeedMessage): message is OrderChange => message.type.startsWith('order.');

/** The next changes. `offers` are all open orders, at the start of a feed without a cursor. */
interface NextChanges {
  offers?: Offer[];
  page: ChangesPage;
}

/** `page` is missing if the service did not answer. */
type PollResult = Partial<NextChanges> & { nextPollMs: number };

interface Position {
  key: string;
  currencies: readonly string[];
  cursor: string | null;
  signal: AbortSignal | undefined;
}

async function readNext(
  call: Transport,
  { key, currencies, cursor, signal }: Position,
): Promise<NextChanges> {
  const get = <Body>(route: 'changes' | 'stream', query: Record<string, string>) => {
    const filter: Record<string, string> = currencies.length > 0 ? { currencies: currencies.join() } : {};
    const search = new URLSearchParams({ ...filter, ...query });
    return call<Body>('GET', `/api/lp/${encodeURIComponent(key)}/orders/${route}?${search}`, { signal });
  };
  if (cursor !== null) return { page: await get<ChangesPage>('changes', { cursor }) };
  // Reading the cursor before the open orders makes changes during the read follow the snapshot.
  const page = await get<ChangesPage>('changes', {});
  const offers = new Map<number, Offer>();
  for (let from: Record<string, string> = { since: BEFORE_ALL_ORDERS }; ; ) {
    const open = await get<OpenOrders>('stream', from);
    if (open.count === 0) return { offers: [...offers.values()], page };
    for (const order of open.orders) offers.set(order.id, order);
    from = { cursor: open.cursor };
  }
}

/** Turns the service's messages into events, and records the position of the last one. */
interface Progress {
  cursor: () => string | null;
  snapshot: (orders: Offer[], cursor: string) => Generator<FeedEvent, void>;
  /** `cursor`: the position after all these changes. */
  changes: (changes: OrderChange[], cursor?: string) => Generator<FeedEvent, void>;
}

function trackProgress(start: string | null): Progress {
  let position = start;
  /** The deadlines of the snapshot's orders by id. An order that opened during the snapshot arrives as a change too. */
  const snapshotDeadlines = new Map<number, string>();
  return {
    cursor: () => position,
    *snapshot(orders, cursor) {
      for (const order of orders) snapshotDeadlines.set(order.id, order.expires_at);
      position = cursor;
      const last = orders.at(-1);
      for (const order of orders) yield { type: 'order.open', order, cursor: order === last ? cursor : null };
    },
    *changes(changes, cursor) {
      for (const change of changes) {
        const isRepeated =
          change.type === 'order.open' && snapshotDeadlines.get(change.order.id) === change.order.expires_at;
        if (change.type === 'order.closed') snapshotDeadlines.delete(change.id);
        position = change.cursor;
        if (!isRepeated) yield change;
      }
      if (cursor !== undefined) position = cursor;
    },
  };
}

function notifyOnChange(onState: NonNullable<FeedOptions['onState']>): NonNullable<FeedOptions['onState']> {
  let last: FeedState | undefined;
  return (state, why) => {
    if (state === last) return;
    last = state;
    onState(state, why);
  };
}

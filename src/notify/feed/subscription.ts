import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Database } from '../../db/orm.ts';
import {
  betweenOfferAndOwner,
  cursorOf,
  type FeedPosition,
  isAfter,
  parseCursor,
} from '../../domain/feed-cursor.ts';
import { offerView } from '../../domain/offer-view.ts';
import { type LpMarket, lpMarket, rateFor } from '../../market/lps/market.ts';
import { frameOf } from './frame.ts';
import { createMessageLimit } from './message-limit.ts';
import type { FeedMessage } from './message-types.ts';
import { type Audience, framesFor } from './messages.ts';
import { readOpenOffers } from './open-offers.ts';
import type { LpNow, OrderFeed } from './order-feed.ts';
import { type FeedEvent, feedEnd, readFeed } from './reader.ts';

export interface SubscriptionDeps {
  db: Database;
  feed: OrderFeed;
  log: Logger;
  heartbeatMs: number;
}

/** The server closes the socket of a client that leaves this much unread, before it costs more memory. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const PAGE = 500;
const SNAPSHOT_LIMIT = 500;
/** Messages from one socket in a minute. A client that follows the feed sends almost none. */
const MAX_MESSAGES = 60;
const MINUTE_MS = 60_000;
/** RFC 6455: "policy violation" and "try again later". */
const CLOSE_REFUSED = 1008;
const CLOSE_FAILED = 1013;

/**
 * Serves the feed to one LP on one socket. The server sends `hello`. Then it sends the open orders or, with a cursor,
 * all changes since the cursor. Then it sends each change as it happens. A `resume` message restarts the subscription
 * after the message's cursor: it supersedes everything sent before the `resumed` reply, and any `resume` that still waits.
 */
export async function subscribe(
  socket: WebSocket,
  stream: Duplex,
  { lpId, currencies, cursor }: { lpId: number; currencies: string[]; cursor: FeedPosition | undefined },
  { db, feed, log, heartbeatMs }: SubscriptionDeps,
): Promise<void> {
  /** The feed keeps it up to date. */
  let market: LpMarket | undefined;
  let position: FeedPosition | undefined;
  /** Whether events go out as they happen; false while the subscription reads past events. */
  let live = false;
  /** The cursor of a `resume` that has not started yet. */
  let waiting: FeedPosition | undefined;
  const withinLimit = createMessageLimit(MAX_MESSAGES, MINUTE_MS);

  const onEvents = (events: FeedEvent[], lp: LpNow | undefined) => {
    if (!market) return;
    if (lp?.market) market = lp.market;
    if (lp) market.approved = lp.approved;
    if (live) sendEvents(events, market);
  };
  socket.on('close', () => feed.leave(onEvents));
  // Runs one piece of work at a time: a `resume` that arrives early waits for the start.
  let turn = closingOnFailure(begin);
  socket.on('message', (data) => {
    // After the server has begun to close the socket, the client may still send.
    if (socket.readyState !== socket.OPEN) return;
    if (!withinLimit(performance.now())) return socket.close(CLOSE_REFUSED, 'too many messages');
    const asked = resumeFrom(String(data));
    if (!asked) return send({ type: 'error', error: 'Expected {"type": "resume", "cursor": "…"}' });
    // Each resume reads past events from its cursor, so only the newest one that waits runs.
    if (!waiting) turn = turn.then(() => closingOnFailure(resumeAsAsked));
    waiting = asked;
  });
  return turn;

  async function begin(): Promise<void> {
    market = await lpMarket(db, lpId);
    const start = await feed.listen(market, onEvents);
    if (socket.readyState !== socket.OPEN) return void feed.leave(onEvents);
    // `hello` repeats the client's cursor, because a client that loses its connection now has received nothing yet.
    send({ type: 'hello', cursor: cursorOf(cursor ?? start), heartbeat_ms: heartbeatMs });
    return cursor ? resume(cursor) : openWithSnapshot(market, start);
  }

  async function openWithSnapshot(market: LpMarket, start: FeedPosition): Promise<void> {
    const filter = { lpId, currencies, assets: market.assets };
    const { offers, next } = market.approved
      ? await readOpenOffers(db, filter, { since: new Date(0) }, SNAPSHOT_LIMIT)
      : { offers: [], next: start };
    const orders = offers.map((offer) => offerView(offer, market.tier, rateFor(market, offer)));
    // The snapshot is newer than the feed's position. The events between the two are sent again, as changes.
    position = isAfter(next, start) ? start : next;
    send({ type: 'snapshot', cursor: cursorOf(position), orders });
    await catchUp();
  }

  async function resumeAsAsked(): Promise<void> {
    const asked = waiting;
    waiting = undefined;
    if (asked && socket.readyState === socket.OPEN) await resume(asked);
  }

  async function resume(from: FeedPosition): Promise<void> {
    // A position beyond the end of the feed belongs to another database. The socket would never receive an event.
    if (isAfter(from, await feedEnd(db))) {
      send({ type: 'error', error: 'This cursor is not from this feed: connect again without a cursor' });
      return socket.close(CLOSE_REFUSED, 'unknown cursor');
    }
    const end = feed.position();
    const everApproved = market?.everApproved || (await lpMarket(db, lpId)).everApproved;
    live = false;
    // Nothing in the past concerns an LP that was never approved, and anybody can register such an LP.
    position = everApproved || isAfter(from, end) ? from : end;
    send({ type: 'resumed', cursor: cursorOf(from) });
    await catchUp();
  }

  /**
   * Sends past events up to the feed's position, then goes live. There must be no await in between, because an event
   * would be lost.
   */
  async function catchUp(): Promise<void> {
    while (position && isAfter(feed.position(), position) && socket.readyState === socket.OPEN) {
      const page = await readFeed(db, position, PAGE);
      if (page.events.length > 0 && market) {
        // Read after the page and not stored, because the feed may have read newer terms meanwhile.
        sendEvents(page.events, await lpMarket(db, lpId));
      }
      position = page.next;
    }
    live = true;
  }

  function sendEvents(events: FeedEvent[], market: LpMarket): void {
    if (endsSlowReader()) return;
    const audience = { market, currencies };
    // One system call writes all events of the batch: the call costs more than the messages.
    stream.cork();
    try {
      for (const event of events) sendEvent(event, audience);
    } finally {
      stream.uncork();
    }
  }

  function sendEvent(event: FeedEvent, audience: Audience): void {
    if (position && !isAfter(event, position)) return;
    const offerSent = position?.offerSent && cursorOf(position) === cursorOf(betweenOfferAndOwner(event));
    position = event;
    const { offer, own } = framesFor(event, audience);
    if (offer && !offerSent) write(offer);
    if (own) write(own);
  }

  function send(message: FeedMessage): void {
    if (!endsSlowReader()) write(frameOf(JSON.stringify(message)));
  }

  /** Ends the connection if the client has left too much unread. Only between batches: all frames of one wait for the `uncork`. */
  function endsSlowReader(): boolean {
    if (socket.bufferedAmount <= MAX_UNREAD_BYTES) return false;
    socket.close(CLOSE_REFUSED, 'reads too slowly');
    socket.terminate();
    return true;
  }

  /**
   * Writes to the stream itself, because `ws` would make the frame again for each socket. `ws` itself sends only control
   * frames here, each in one write, so the frames cannot interleave.
   */
  function write(frame: Buffer): void {
    if (socket.readyState === socket.OPEN) stream.write(frame);
  }

  async function closingOnFailure(work: () => Promise<void>): Promise<void> {
    await work().catch((error) => {
      log.warn({ err: error }, 'could not read the feed for a socket');
      socket.close(CLOSE_FAILED, 'try again with your last cursor');
    });
  }
}

function resumeFrom(text: string): FeedPosition | undefined {
  try {
    const message = JSON.parse(text);
    return message?.type === 'resume' && typeof message.cursor === 'string'
      ? parseCursor(message.cursor)
      : undefined;
  } catch {
    return undefined;
  }
}

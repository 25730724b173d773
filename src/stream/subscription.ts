import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Database } from '../db/orm.ts';
import {
  amidst,
  cursorOf,
  type FeedEvent,
  type FeedPosition,
  feedEnd,
  isAfter,
  positionFrom,
  readFeed,
} from '../db/queries/feed.ts';
import { lpApproval } from '../db/queries/lp-approval.ts';
import { type LpMarket, lpMarket } from '../db/queries/lp-market.ts';
import { readOpenOffers } from '../db/queries/open-offers.ts';
import { offerView } from '../domain/offer-view.ts';
import type { OrderFeed } from './feed.ts';
import { frameOf } from './frame.ts';
import { createMessageLimit } from './message-limit.ts';
import { type Audience, type FeedMessage, newsFor } from './messages.ts';

export interface SubscriptionDeps {
  db: Database;
  feed: OrderFeed;
  log: Logger;
  heartbeatMs: number;
}

/** A reader that leaves this much unread is cut off before it costs memory. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const PAGE = 500;
const SNAPSHOT_LIMIT = 500;
/** Of one socket in a minute: a client that follows the feed has next to nothing to say. */
const MAX_MESSAGES = 60;
const MINUTE_MS = 60_000;
/** RFC 6455: "policy violation" and "try again later". */
const CLOSE_REFUSED = 1008;
const CLOSE_FAILED = 1013;

/**
 * One LP's view of the feed on one socket. It says hello, then either the orders that are open now or, with a cursor,
 * everything since; then what happens, as it happens. A `resume` message starts over behind its cursor: what was
 * sent before the `resumed` that answers it is superseded, and so is a `resume` that waits when another comes.
 */
export async function subscribe(
  socket: WebSocket,
  stream: Duplex,
  { lpId, currencies, cursor }: { lpId: number; currencies: string[]; cursor: FeedPosition | undefined },
  { db, feed, log, heartbeatMs }: SubscriptionDeps,
): Promise<void> {
  let audience: Audience | undefined;
  let position: FeedPosition | undefined;
  /** Sent live from here on; false while the past is being read. */
  let live = false;
  /** Asked for while something else was under way, and not begun. */
  let waiting: FeedPosition | undefined;
  const withinLimit = createMessageLimit(MAX_MESSAGES, MINUTE_MS);

  const hear = (events: FeedEvent[], approved: boolean | undefined) => {
    if (live) tell(events, approved);
  };
  socket.on('close', () => feed.leave(hear));
  // One thing at a time, in the order asked for: what a client asks early waits for the beginning.
  let turn = guarded(begin);
  socket.on('message', (data) => {
    // Closing is a matter of both ends: meanwhile this one goes on sending.
    if (socket.readyState !== socket.OPEN) return;
    if (!withinLimit(performance.now())) return socket.close(CLOSE_REFUSED, 'too many messages');
    const asked = resumeFrom(String(data));
    if (!asked) return send({ type: 'error', error: 'Expected {"type": "resume", "cursor": "…"}' });
    // Each reads the past from its cursor on: only the newest is worth that.
    if (!waiting) turn = turn.then(() => guarded(resumeAsAsked));
    waiting = asked;
  });
  return turn;

  async function begin(): Promise<void> {
    const market = await lpMarket(db, lpId);
    audience = { market, currencies };
    const start = await feed.listen(lpId, hear);
    if (socket.readyState !== socket.OPEN) return void feed.leave(hear);
    // Cut off behind its hello, a client that resumes has still been told of nothing.
    send({ type: 'hello', cursor: cursorOf(cursor ?? start), heartbeat_ms: heartbeatMs });
    return cursor ? resume(cursor) : openWithSnapshot(market, start);
  }

  async function openWithSnapshot(market: LpMarket, start: FeedPosition): Promise<void> {
    const { tier, rates, assets } = market;
    const filter = { lpId, currencies, assets };
    const { offers, next } = market.approved
      ? await readOpenOffers(db, filter, { since: new Date(0) }, SNAPSHOT_LIMIT)
      : { offers: [], next: start };
    const orders = offers.map((offer) => offerView(offer, tier, rates.get(offer.currency) ?? null));
    // The snapshot was read after the feed's position: what lies between is told again, as changes.
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
    // A place that the feed has not come to is none of this database's: it would keep the socket silent.
    if (isAfter(from, await feedEnd(db))) {
      send({ type: 'error', error: 'This cursor is not of this feed: connect again without one' });
      return socket.close(CLOSE_REFUSED, 'unknown cursor');
    }
    live = false;
    position = from;
    send({ type: 'resumed', cursor: cursorOf(from) });
    await catchUp();
  }

  /** Reads the past until it meets the feed, then listens. No await between the last look and `live`. */
  async function catchUp(): Promise<void> {
    while (position && isAfter(feed.position(), position) && socket.readyState === socket.OPEN) {
      const page = await readFeed(db, position, PAGE);
      tell(page.events, (await lpApproval(db, [lpId])).get(lpId));
      position = page.next;
    }
    live = true;
  }

  function tell(events: FeedEvent[], approved = audience?.market.approved): void {
    if (audience && approved !== undefined) audience.market.approved = approved;
    // What is told together leaves together: a call of the operating system costs more than the message.
    stream.cork();
    try {
      for (const event of events) tellOne(event);
    } finally {
      stream.uncork();
    }
  }

  function tellOne(event: FeedEvent): void {
    if (position && !isAfter(event, position)) return;
    const offerTold = position?.offerTold && cursorOf(position) === cursorOf(amidst(event));
    position = event;
    if (!audience) return;
    const { offer, own } = newsFor(event, audience);
    if (offer && !offerTold) write(offer);
    if (own) write(own);
  }

  function send(message: FeedMessage): void {
    write(frameOf(JSON.stringify(message)));
  }

  /** Past `ws`, which would frame the same message anew for each socket; nothing of it is ever on its way in parts. */
  function write(frame: Buffer): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) {
      socket.close(CLOSE_REFUSED, 'reads too slowly');
      socket.terminate();
      return;
    }
    stream.write(frame);
  }

  async function guarded(work: () => Promise<void>): Promise<void> {
    await work().catch((error) => {
      log.warn({ err: error }, 'the feed of a socket could not be read');
      socket.close(CLOSE_FAILED, 'try again with your last cursor');
    });
  }
}

function resumeFrom(text: string): FeedPosition | undefined {
  try {
    const message = JSON.parse(text);
    return message?.type === 'resume' && typeof message.cursor === 'string'
      ? positionFrom(message.cursor)
      : undefined;
  } catch {
    return undefined;
  }
}

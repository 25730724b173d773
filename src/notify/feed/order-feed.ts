import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import { before, FEED_START, type FeedPosition, isAfter } from '../../domain/feed-cursor.ts';
import { type OrderStatus, UNSETTLED_STATUSES } from '../../domain/order-state.ts';
import { lpsNow } from '../../market/lps/approval.ts';
import type { LpMarket } from '../../market/lps/market.ts';
import type { OutcomeChannel } from '../../orders/outcome-channel.ts';
import { createMarketReloads } from './market-reloads.ts';
import { type FeedEvent, feedEnd, readFeed } from './reader.ts';

/** All order events of the database, in one sequence. A process reads each event once for all of its sockets. */
export interface OrderFeed {
  /** The position up to which the feed has been read. */
  position: () => FeedPosition;
  /**
   * Adds a listener that knows its LP's market. Returns the position after which the listener receives every event and
   * every change of the market's terms.
   */
  listen: (market: LpMarket, listener: FeedListener) => Promise<FeedPosition>;
  leave: (listener: FeedListener) => void;
  close: () => Promise<void>;
}
/** `lp`: undefined for a listener that was added during the query. */
export type FeedListener = (events: FeedEvent[], lp: LpNow | undefined) => void;

/** A listener's LP, read after the events, so the terms are at least as new as each event. */
export interface LpNow {
  approved: boolean;
  /** Undefined: the terms have not changed. */
  market: LpMarket | undefined;
}

const PAGE = 500;
/** The pause between two reads. The next read takes all events committed during it; each read slows commits a little. */
const PAUSE_MS = 10;
/** The feed also reads at this interval: a lost notification delays events by at most this much. */
const READ_EVERY_MS = 1_000;
/** When to read again for events that an open transaction holds back. Transactions are short. */
const PENDING_MS = 15;

export function createOrderFeed(db: Database, channel: OutcomeChannel, log: Logger): OrderFeed {
  const listeners = new Map<FeedListener, number>();
  /** Every listener knows the changes of its LP's terms before the first of these positions, or waits for them. */
  const knownTerms: FeedPosition[] = [];
  /**
   * The LPs of listeners that have joined since. Their float may have changed before the first event that they receive.
   */
  const joined: number[] = [];
  /** The LPs that were approved with the last page. The feed ignores the changes of all others. */
  let approvedBefore = new Set<number>();
  const reloads = createMarketReloads(db, log, (lpId, { events, approved }, market) => {
    for (const [listener, id] of listeners) if (id === lpId) listener(events, { approved, market });
  });
  let position: FeedPosition | undefined;
  let reading: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let pendingRead: NodeJS.Timeout | undefined;

  channel.onAnnounced(requestRead);
  const interval = setInterval(requestRead, READ_EVERY_MS);

  return {
    position: () => position ?? FEED_START,
    listen: async (market, listener) => {
      // The first listener begins at the end of the feed: no socket is waiting for older events.
      if (listeners.size === 0) position = undefined;
      // Another listener may have started the feed during the query; its position stays.
      const end = await feedEnd(db);
      position ??= end;
      listeners.set(listener, market.lpId);
      knownTerms.push(before(market.asOf));
      joined.push(market.lpId);
      return position;
    },
    leave: (listener) => listeners.delete(listener),
    close: async () => {
      closed = true;
      clearInterval(interval);
      clearTimeout(pendingRead);
      await reading;
      await reloads.close();
    },
  };

  /** One read runs at a time. A request during a read leads to another read after it. */
  function requestRead(): void {
    if (closed || listeners.size === 0) return;
    again = true;
    reading ??= read().finally(() => {
      reading = undefined;
    });
  }

  async function read(): Promise<void> {
    while (again && !closed && position) {
      again = false;
      try {
        const page = await readFeed(db, position, PAGE);
        if (page.events.length > 0) {
          const approval = await readLps(page.events);
          const isHeld = new Map(
            [...approval].map(([lpId, approved]) => [
              lpId,
              reloads.hold(lpId, { events: page.events, approved }),
            ]),
          );
          for (const [listener, lpId] of listeners) {
            const approved = approval.get(lpId);
            if (approved === undefined) listener(page.events, undefined);
            else if (!isHeld.get(lpId)) listener(page.events, { approved, market: undefined });
          }
        }
        position = page.next;
        if (page.events.length === PAGE) again = true;
        else {
          if (page.more) readSoon();
          await delay(PAUSE_MS);
        }
      } catch (error) {
        log.warn({ err: error }, 'could not read the order feed; will try again');
        return;
      }
    }
  }

  /** Asks for the approval of the listeners' LPs, and has the markets read of those whose terms or floats have changed. */
  async function readLps(events: FeedEvent[]): Promise<Map<number, boolean>> {
    const lpIds = [...new Set(listeners.values())];
    // Listeners that join during the query add positions, from which the next query begins.
    const asked = knownTerms.length;
    const newcomers = joined.length;
    const floats = new Set([...joined, ...events.flatMap(lpsWithNewFloat)]);
    const since = knownTerms.reduce((a, b) => (isAfter(a, b) ? b : a));
    const { approved, changed, asOf } = await lpsNow(db, lpIds, since.xid);
    knownTerms.splice(0, asked, before(asOf));
    joined.splice(0, newcomers);
    const isStale = (id: number) => floats.has(id) || changed.has(id) || !approvedBefore.has(id);
    reloads.require([...approved].filter(isStale));
    approvedBefore = approved;
    return new Map(lpIds.map((id) => [id, approved.has(id)]));
  }

  function readSoon(): void {
    clearTimeout(pendingRead);
    pendingRead = setTimeout(requestRead, PENDING_MS);
  }
}

/** The LPs whose float the event reserved, returned or used up. */
function lpsWithNewFloat({ from, status, previousLpId, snapshot }: FeedEvent): (number | null)[] {
  return isReserved(from) === isReserved(status) ? [] : [previousLpId, snapshot.lp_id];
}

const isReserved = (status: OrderStatus | null): boolean => UNSETTLED_STATUSES.some((one) => one === status);

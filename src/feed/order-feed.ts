import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import type { FeedPosition } from '../domain/feed-cursor.ts';
import { lpApproval } from '../lps/approval.ts';
import type { OutcomeChannel } from '../orders/outcome-channel.ts';
import { type FeedEvent, feedEnd, readFeed } from './reader.ts';

/** All order events of the database, in one sequence. A process reads each event once for all of its sockets. */
export interface OrderFeed {
  /** The position up to which the feed has been read. */
  position: () => FeedPosition;
  /** Adds a listener of this LP. Returns the position after which the listener receives every event. */
  listen: (lpId: number, listener: FeedListener) => Promise<FeedPosition>;
  leave: (listener: FeedListener) => void;
  close: () => Promise<void>;
}
/** `approved`: whether the LP is approved now; undefined for a listener that was added during the query. */
export type FeedListener = (events: FeedEvent[], approved: boolean | undefined) => void;

const PAGE = 500;
/** The pause between two reads. The next read takes all events committed during it; each read slows commits a little. */
const PAUSE_MS = 10;
/** The feed also reads at this interval: a lost notification delays events by at most this much. */
const READ_EVERY_MS = 1_000;
/** When to read again for events that an open transaction holds back. Transactions are short. */
const PENDING_MS = 15;

export function createOrderFeed(db: Database, channel: OutcomeChannel, log: Logger): OrderFeed {
  const listeners = new Map<FeedListener, number>();
  let position: FeedPosition | undefined;
  let reading: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let pendingRead: NodeJS.Timeout | undefined;

  channel.onAnnounced(requestRead);
  const interval = setInterval(requestRead, READ_EVERY_MS);

  return {
    position: () => position ?? { xid: '0', orderId: 0, seq: 0 },
    listen: async (lpId, listener) => {
      // The first listener begins at the end of the feed: no socket is waiting for older events.
      if (listeners.size === 0) position = undefined;
      // Another listener may have started the feed during the query; its position stays.
      const end = await feedEnd(db);
      position ??= end;
      listeners.set(listener, lpId);
      return position;
    },
    leave: (listener) => listeners.delete(listener),
    close: async () => {
      closed = true;
      clearInterval(interval);
      clearTimeout(pendingRead);
      await reading;
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
          const approval = await lpApproval(db, [...new Set(listeners.values())]);
          for (const [listener, lpId] of listeners) listener(page.events, approval.get(lpId));
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

  function readSoon(): void {
    clearTimeout(pendingRead);
    pendingRead = setTimeout(requestRead, PENDING_MS);
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { type FeedEvent, type FeedPosition, feedEnd, readFeed } from '../db/queries/feed.ts';
import { lpApproval } from '../db/queries/lp-approval.ts';
import type { OutcomeChannel } from '../orders/outcome-channel.ts';

/** Everything that happens to orders, as one stream in one order, read once for all who listen in this process. */
export interface OrderFeed {
  /** How far the stream has been read. */
  position: () => FeedPosition;
  /** Gives the position from which on the LP's listener hears everything. */
  listen: (lpId: number, listener: FeedListener) => Promise<FeedPosition>;
  leave: (listener: FeedListener) => void;
  close: () => Promise<void>;
}
/** `approved`: whether its LP is by now; undefined for one that came while that was being asked. */
export type FeedListener = (events: FeedEvent[], approved: boolean | undefined) => void;

const PAGE = 500;
/** Between two reads; what is committed meanwhile is read together. Each read costs the commits beside it something. */
const BREATH_MS = 10;
/** A hint that was lost costs this much. */
const LOOK_EVERY_MS = 1_000;
/** An event whose turn has not come waits for a transaction that is still open; those are short. */
const PENDING_MS = 15;

export function createOrderFeed(db: Database, channel: OutcomeChannel, log: Logger): OrderFeed {
  const listeners = new Map<FeedListener, number>();
  let position: FeedPosition | undefined;
  let reading: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let soon: NodeJS.Timeout | undefined;

  channel.onAnnounced(look);
  const tick = setInterval(look, LOOK_EVERY_MS);

  return {
    position: () => position ?? { xid: '0', orderId: 0, seq: 0 },
    listen: async (lpId, listener) => {
      // The first listener begins at the end: what was before is nobody's news.
      if (listeners.size === 0) position = undefined;
      // Another may have begun while this one asked: then the stream is where that one has brought it.
      const end = await feedEnd(db);
      position ??= end;
      listeners.set(listener, lpId);
      return position;
    },
    leave: (listener) => listeners.delete(listener),
    close: async () => {
      closed = true;
      clearInterval(tick);
      clearTimeout(soon);
      await reading;
    },
  };

  /** One reader at a time; what is hinted at meanwhile is read next. */
  function look(): void {
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
          if (page.more) lookSoon();
          await delay(BREATH_MS);
        }
      } catch (error) {
        log.warn({ err: error }, 'the order feed could not be read; trying again');
        return;
      }
    }
  }

  function lookSoon(): void {
    clearTimeout(soon);
    soon = setTimeout(look, PENDING_MS);
  }
}

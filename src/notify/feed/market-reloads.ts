import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import { type LpMarket, lpMarkets } from '../../market/lps/market.ts';
import type { FeedEvent } from './reader.ts';

/** A page of events that waits for its LP's market. */
interface HeldPage {
  events: FeedEvent[];
  approved: boolean;
}

/** Hands a page to the listeners of an LP. `market`: undefined if it has not changed since the page before. */
export type Deliver = (lpId: number, page: HeldPage, market: LpMarket | undefined) => void;

/** Reads the markets of LPs whose terms have changed, and holds the pages of these LPs back until then. */
export interface MarketReloads {
  /** Reads the markets of these LPs again. Pages held from now on are judged by terms that are at least as new. */
  require: (lpIds: number[]) => void;
  /** Holds a page of an LP, if its market or an older page is not there yet. Returns false if the page can go out now. */
  hold: (lpId: number, page: HeldPage) => boolean;
  close: () => Promise<void>;
}

/** LPs of one query. An LP has at most `MAX_TERMS` terms, so a query stays short however many LPs change. */
const BATCH = 20;
const RETRY_MS = 500;

/**
 * Only the LP whose terms changed waits for them. The others get their pages immediately, so an LP that changes its terms often
 * delays no other LP.
 */
export function createMarketReloads(db: Database, log: Logger, deliver: Deliver): MarketReloads {
  /** The pages of each LP that waits, oldest first. */
  const held = new Map<number, HeldPage[]>();
  /** LPs whose market must be read, in the sequence in which they changed. */
  const due = new Set<number>();
  let reading: Promise<void> | undefined;
  let closed = false;

  return {
    require: (lpIds) => {
      for (const id of lpIds) {
        due.add(id);
        if (!held.has(id)) held.set(id, []);
      }
      read();
    },
    hold: (lpId, page) => {
      const pages = held.get(lpId);
      pages?.push(page);
      return pages !== undefined;
    },
    close: async () => {
      closed = true;
      await reading;
    },
  };

  function read(): void {
    if (due.size === 0 || closed) return;
    reading ??= readAll().finally(() => {
      reading = undefined;
      read();
    });
  }

  async function readAll(): Promise<void> {
    while (due.size > 0 && !closed) {
      const ids = [...due].slice(0, BATCH);
      for (const id of ids) due.delete(id);
      const before = new Map(ids.map((id) => [id, held.get(id)?.length ?? 0]));
      try {
        const markets = new Map((await lpMarkets(db, ids)).map((market) => [market.lpId, market]));
        for (const id of ids) release(id, markets.get(id), before.get(id) ?? 0);
      } catch (error) {
        log.warn({ err: error }, 'could not read the terms of LPs for the order feed; will try again');
        for (const id of ids) due.add(id);
        await delay(RETRY_MS);
      }
    }
  }

  /** If the LP has changed again during the query, only the pages from before the query go out. */
  function release(lpId: number, market: LpMarket | undefined, before: number): void {
    const pages = held.get(lpId) ?? [];
    const ready = due.has(lpId) ? pages.splice(0, before) : pages;
    if (!due.has(lpId)) held.delete(lpId);
    for (const [i, page] of ready.entries()) deliver(lpId, page, i === 0 ? market : undefined);
  }
}

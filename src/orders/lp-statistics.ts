import { countEndings } from '../db/commands/count-endings.ts';
import { refreshLpStatistics } from '../db/commands/refresh-lp-statistics.ts';
import type { Database } from '../db/orm.ts';

/** Events of one statement. */
const BATCH = 2_000;
/** Statements of one turn: a long past, as after an upgrade, is made up for bit by bit. */
const MOST_BATCHES = 10;

/** Takes up to so many of the next events in; gives how many there were. */
type TakeIn = (db: Database, limit: number) => Promise<number>;

/** Brings the LPs' statistics up to what has happened. */
export const keepLpStatistics = (db: Database) => catchUp(db, refreshLpStatistics);

/** Likewise the totals of the orders that have ended. */
export const keepOrderTotals = (db: Database) => catchUp(db, countEndings);

async function catchUp(db: Database, takeIn: TakeIn): Promise<void> {
  for (let batches = 0; batches < MOST_BATCHES; batches++) {
    if ((await takeIn(db, BATCH)) < BATCH) return;
  }
}

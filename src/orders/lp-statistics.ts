import { refreshLpStatistics } from '../db/commands/refresh-lp-statistics.ts';
import type { Database } from '../db/orm.ts';

/** Events of one statement. */
const BATCH = 2_000;
/** Statements of one turn: a long past, as after an upgrade, is made up for bit by bit. */
const MOST_BATCHES = 10;

/** Brings the LPs' statistics up to what has happened. */
export async function keepLpStatistics(db: Database): Promise<void> {
  for (let batches = 0; batches < MOST_BATCHES; batches++) {
    if ((await refreshLpStatistics(db, BATCH)) < BATCH) return;
  }
}

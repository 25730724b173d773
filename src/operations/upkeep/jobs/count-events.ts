import type { Database } from '../../../db/orm.ts';

/** Events that one statement counts. */
const BATCH = 2_000;
/** Statements per round. A long backlog takes several rounds. */
const MOST_BATCHES = 10;

/** Brings numbers that are counted from order events up to date. `count` takes up to `limit` events and returns how many. */
export async function countNewEvents(
  db: Database,
  count: (db: Database, limit: number) => Promise<number>,
): Promise<void> {
  for (let batches = 0; batches < MOST_BATCHES; batches++) {
    if ((await count(db, BATCH)) < BATCH) return;
  }
}

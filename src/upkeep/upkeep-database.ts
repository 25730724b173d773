import type { Database } from '../db/orm.ts';
import { createTurns } from '../process/turns.ts';

/** Of those that `DATABASE_POOL_SIZE` allows. */
export const UPKEEP_CONNECTIONS = 4;

/**
 * The database for upkeep jobs. A round starts all of them, but their statements take turns, so that a round leaves the other
 * connections to the orders. A statement that waits for a lock ends by its own time limit. Transactions take no turn: they are
 * few, and one would wait for its own statements.
 */
export function upkeepDatabase(db: Database): Database {
  const inTurn = createTurns({ places: UPKEEP_CONNECTIONS });
  return { ...db, query: (name, text, values) => inTurn(() => db.query(name, text, values)) };
}

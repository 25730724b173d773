import type { Pause } from './entities/pause.ts';
import type { Database } from './orm.ts';

/** SQL: the reasons of the pauses that stop payments and claims in this currency of this agent. */
export const pausesOf = (agentKeyId: string, currency: string): string =>
  `select pause.reason from pause
    where (pause.currency is null or pause.currency = ${currency})
      and (pause.agent_key_id is null or pause.agent_key_id = ${agentKeyId})`;

/**
 * As `pausesOf`, for a statement that creates or claims an order. `untilPaused` waits for this lock. So such a
 * statement has either seen the pause or ends before the pause is reported.
 */
export const pausesToObey = (agentKeyId: string, currency: string): string =>
  `${pausesOf(agentKeyId, currency)}
    limit 1 for key share`;

/**
 * This lock conflicts with every `for key share`, but not with reads or a backup. PostgreSQL locks the tables of a
 * statement before it takes the statement's snapshot. So later statements see everything that was committed before this
 * one.
 */
const WAIT = `do $$ begin
  set local lock_timeout = '3s';
  lock table pause in exclusive mode;
end $$`;

/** Waits until every statement that may have missed a committed pause has ended. Returns false after three seconds. */
export async function untilPaused(db: Database): Promise<boolean> {
  try {
    await db.query('pause-wait', WAIT, []);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
const LOCK_NOT_AVAILABLE = '55P03';

/** The pauses in force, oldest first. */
export const findPauses = (db: Database): Promise<Pause[]> =>
  db.query<Pause & Record<string, unknown>>('pauses', 'select * from pause order by id', []);

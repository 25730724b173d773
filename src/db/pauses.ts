import type { Pause } from './entities/pause.ts';
import { incidentsOf, type Needs } from './incidents.ts';
import type { Database } from './orm.ts';

/** SQL expressions for a payment: its agent, and what it needs. */
interface Payment extends Needs {
  agent: string;
}

/** The payment of a row of `orders`. */
export const paymentOf = (o: string): Payment => ({
  agent: `${o}.agent_key_id`,
  currency: `${o}.currency`,
  method: `${o}.corridor_method`,
  chain: `${o}.crypto_chain`,
});

const pausesIn = ({ agent, currency }: Payment): string =>
  `select pause.reason from pause
    where (pause.currency is null or pause.currency = ${currency})
      and (pause.agent_key_id is null or pause.agent_key_id = ${agent})`;

/** SQL: the reasons of the pauses and the open incidents that stop such payments, and claims of their orders. */
export const pausesOf = (payment: Payment): string =>
  `${pausesIn(payment)}
    union all ${incidentsOf(payment)}`;

/**
 * As `pausesOf`, for a statement that creates or claims an order. `untilPaused` waits for the lock on `pause`. So such a
 * statement has either seen the pause or the incident, or ends before it is reported.
 */
export const pausesToObey = (payment: Payment): string =>
  `select paused.reason from (${pausesIn(payment)} for key share) paused
    union all ${incidentsOf(payment)}
    limit 1`;

/**
 * This lock conflicts with every `for key share`, but not with reads or a backup. PostgreSQL locks the tables of a
 * statement before it takes the statement's snapshot. So later statements see everything that was committed before this
 * one.
 */
const WAIT = `do $$ begin
  set local lock_timeout = '3s';
  lock table pause in exclusive mode;
end $$`;

/** Waits until every statement that may have missed a committed pause or incident has ended. Returns false after three seconds. */
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

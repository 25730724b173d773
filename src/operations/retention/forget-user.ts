import type { Database } from '../../db/orm.ts';
import { type MaskingDeps, maskBatches } from './mask-orders.ts';

export interface Forgotten {
  /** Orders that this call has masked. */
  masked: number;
  /** Ended orders that are not masked yet: their webhooks are still being sent, or the time of this call was up. */
  waiting: number;
  /** Orders that have not ended. */
  live: number;
}

const BATCH = 50;
/** The caller waits. A second call continues. */
const WITHIN_MS = 8_000;

const FORGET_NAME = 'update app_user set name = null where id = $1 and name is not null';
export const NEXT = `
  select id from orders
  where user_id = $1 and id > $2 and masked_at is null and status in ('completed', 'cancelled')
  order by id limit $3`;
const LEFT = `
  select count(*) filter (where status in ('completed', 'cancelled')) as waiting,
    count(*) filter (where status not in ('completed', 'cancelled')) as live
  from orders where user_id = $1 and masked_at is null`;

/** How many orders of a user `forgetUser` would mask, and how many it would leave. */
export async function countUnmasked(db: Database, userId: number): Promise<{ ended: number; live: number }> {
  const [left] = await db.query<{ waiting: number; live: number }>('forget-left', LEFT, [userId]);
  return { ended: left?.waiting ?? 0, live: left?.live ?? 0 };
}

/**
 * Removes the user's name, and the personal data of the user's ended orders now. Rejects with an AggregateError, after all
 * batches, if files of receipts could not be deleted.
 */
export async function forgetUser(deps: MaskingDeps, userId: number): Promise<Forgotten> {
  const { db } = deps;
  await db.query('forget-name', FORGET_NAME, [userId]);
  const masked = await maskBatches(deps, endedOrdersOf(db, userId), `user:${userId}`);
  const { ended: waiting, live } = await countUnmasked(db, userId);
  return { masked, waiting, live };
}

/** The user's orders that are to be masked, in batches, until the time of the call is up. */
async function* endedOrdersOf(db: Database, userId: number): AsyncGenerator<number[]> {
  const giveUpAt = Date.now() + WITHIN_MS;
  let last: number | undefined = 0;
  while (last !== undefined && Date.now() < giveUpAt) {
    const rows: { id: number }[] = await db.query<{ id: number }>('forget-next', NEXT, [userId, last, BATCH]);
    if (rows.length > 0) yield rows.map(({ id }) => id);
    last = rows.length === BATCH ? rows.at(-1)?.id : undefined;
  }
}

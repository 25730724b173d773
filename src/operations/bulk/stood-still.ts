import { clockOf } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';

const STOOD_STILL = `
  select o.id, ceil(extract(epoch from now() - ${clockOf('o')}) * 1000)::float8 as ms from orders o
  where o.id = any($1::bigint[])`;

/**
 * For how long, in ms, the clock of each order has stood still in an incident or an outage that has not ended. The end of it gives
 * this time back, unless an extension sets another deadline before.
 */
export async function stoodStillTimes(db: Database, ids: number[]): Promise<Map<number, number>> {
  const rows = await db.query<{ id: number; ms: number }>('bulk-stood-still', STOOD_STILL, [ids]);
  return new Map(rows.map(({ id, ms }) => [id, ms]));
}

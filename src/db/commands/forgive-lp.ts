import type { Database } from '../orm.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

/** From the strikes, and not beside them: of two at once the second finds none, and records nothing. */
const FORGIVE = `
  with next as materialized (select nextval('lp_forgiveness_id_seq') as id),
  strikes as (
    update lp_strike set forgiveness_id = next.id from next where lp_id = $1 and forgiveness_id is null
    returning forgiveness_id
  ),
  forgiveness as (
    insert into lp_forgiveness (id, lp_id, reason) select distinct forgiveness_id, $1::bigint, $2 from strikes
    returning lp_id
  ),
  ${offersBecomeDue('select lp_id from forgiveness')}
  select id from lp where id = $1`;

/**
 * Forgives an LP the strikes that it has, on the record: they count no more, and its cool-down is over. Without a
 * strike nothing is recorded. False when there is no such LP.
 */
export async function forgiveLp(db: Database, lpId: number, reason: string): Promise<boolean> {
  return (await db.query('lp-forgive', FORGIVE, [lpId, reason])).length > 0;
}

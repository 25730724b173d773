import type { Database } from '../../db/orm.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

/** `forgiveness` selects from `strikes`, so the second of two concurrent runs finds none and records nothing. */
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
 * Records that an admin forgave an LP its strikes: they no longer count, and the cool-down ends. Records nothing if the
 * LP has no strikes. Returns false if there is no such LP.
 */
export async function forgiveLp(db: Database, lpId: number, reason: string): Promise<boolean> {
  return (await db.query('lp-forgive', FORGIVE, [lpId, reason])).length > 0;
}

import type { Database } from '../../db/orm.ts';

/** The facts about LPs that the feed reads with each page of events. */
export interface LpsNow {
  /** Ids of the LPs that are approved now. */
  approved: Set<number>;
  /** Ids of the approved LPs whose terms, tokens or reference price may have changed. */
  changed: Set<number>;
  /** The next query begins here: it has read every change before this position. */
  asOf: string;
}

/**
 * Without a change, the last subquery reads only the ends of two indexes and the few reference prices. The upper bound of
 * `changed` and `added` holds for every row. With both bounds, PostgreSQL expects few rows and uses the index even in a generic
 * plan. `exists` prevents it from reading terms while no reference price has changed.
 */
const NOW = `
  select (select feed_horizon())::text as "asOf",
    (select coalesce(json_agg(id), '[]') from lp where id = any($1::bigint[]) and status = 'approved') as approved,
    (
      select coalesce(json_agg(distinct lp_id), '[]')
      from (
        select lp_id from lp_term where changed >= $2::xid8 and changed <= '18446744073709551615'::xid8
        union all
        select lp_id from lp_asset where added >= $2::xid8 and added <= '18446744073709551615'::xid8
        union all
        select lp_id from lp_term
        where exists (select from reference_price where changed >= $2::xid8) and offset_bps is not null
          and currency in (select currency from reference_price where changed >= $2::xid8)
      ) changed
      where lp_id = any($1::bigint[]) and exists (select from lp where lp.id = lp_id and lp.status = 'approved')
    ) as changed`;

/** Which of the LPs are approved now, and whose terms have changed since a position in the feed. In one statement. */
export async function lpsNow(db: Database, lpIds: number[], since: string): Promise<LpsNow> {
  const rows = await db.query<{ asOf: string; approved: number[]; changed: number[] }>('lp-approval', NOW, [
    lpIds,
    since,
  ]);
  const { asOf = '0', approved = [], changed = [] } = rows[0] ?? {};
  return { asOf, approved: new Set(approved), changed: new Set(changed) };
}

import type { Database } from '../../db/orm.ts';
import type { OrderStatus } from '../../domain/order-state.ts';

/** A time bucket, and how many orders entered each status in it. */
export interface Entered {
  at: Date;
  counts: Partial<Record<OrderStatus, number>>;
  /** Value of the orders completed, decimal string. */
  completedUsd: string;
}

// Times are whole buckets since the epoch. The start of the range is computed once, so that PostgreSQL uses the index
// over time.
export const THROUGHPUT = `
  with entered as (
    select floor(extract(epoch from created_at) / $1::int) as bucket, status, count(*) as orders,
      sum((snapshot ->> 'amount_usd')::numeric) filter (where status = 'completed') as usd
    from order_event
    where created_at >= to_timestamp((floor(extract(epoch from now()) / $1::int) - $2::int + 1) * $1::int)
      and from_status is distinct from status
    group by 1, 2
  ), bucket as (
    select generate_series(present - $2::int + 1, present) as bucket
    from (select floor(extract(epoch from now()) / $1::int) as present) clock
  )
  select (bucket * $1::int)::int8 as at,
    coalesce(json_object_agg(status, orders) filter (where status is not null), '{}') as counts,
    coalesce(max(usd), 0)::text as usd
  from bucket left join entered using (bucket)
  group by bucket order by bucket`;

/** The last `buckets` buckets of `seconds` each, by the database's clock, oldest first. The last one is incomplete. */
export async function throughput(db: Database, seconds: number, buckets: number): Promise<Entered[]> {
  const rows = await db.query<{ at: number; counts: Entered['counts']; usd: string }>(
    'throughput',
    THROUGHPUT,
    [seconds, buckets],
  );
  return rows.map(({ at, counts, usd }) => ({ at: new Date(at * 1_000), counts, completedUsd: usd }));
}

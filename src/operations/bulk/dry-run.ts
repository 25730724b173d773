import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { type BulkAction, type BulkArguments, DRY_RUN_VALID_MS, MAX_BULK_ORDERS } from '../../domain/bulk.ts';
import type { BulkFilter } from '../../domain/bulk-filter.ts';
import { invalidField } from '../../domain/errors.ts';
import type { AdminActor } from '../../domain/order-commands.ts';
import { IS_EXHAUSTED } from './redeliver-exhausted.ts';

/** One text for every filter: a condition that is missing is null. `redeliver` needs a webhook that it can send again. */
const DRY_RUN = statement(
  'bulk-dry-run',
  `
with found as (
  select id, status, version, currency, amount_fiat, amount_usd from orders
  where ($statuses::varchar[] is null or status = any($statuses))
    and ($currencies::varchar[] is null or currency = any($currencies))
    and ($chains::varchar[] is null or crypto_chain = any($chains))
    and ($agents::bigint[] is null or agent_key_id = any($agents))
    and ($lps::bigint[] is null or lp_id = any($lps))
    and ($frozen::boolean is null or (frozen_ms is not null) = $frozen)
    and ($dueBefore::timestamptz is null or timeout_at < $dueBefore)
    and ($dueAfter::timestamptz is null or timeout_at > $dueAfter)
    and ($createdBefore::timestamptz is null or created_at < $createdBefore)
    and ($createdAfter::timestamptz is null or created_at > $createdAfter)
    and ($action <> 'redeliver' or exists (
      select from webhook_delivery d
      where d.order_id = orders.id and ${IS_EXHAUSTED}))
  order by id
  limit $most::int + 1
),
statuses as (select status, count(*)::int as orders from found group by status order by status),
totals as (
  select currency, count(*)::int as orders, sum(amount_fiat)::text as amount_fiat, sum(amount_usd)::text as amount_usd
  from found group by currency order by currency
),
run as (
  insert into bulk_run (action, arguments, filter, reason, created_by, expires_at, orders, selection)
  select $action, $arguments::jsonb, $filter, $reason, $createdBy, now() + $validMs * interval '1 ms', counted.orders,
    jsonb_build_object(
      'statuses', coalesce((select jsonb_agg(statuses) from statuses), '[]'),
      'totals', coalesce((select jsonb_agg(totals) from totals), '[]')
    )
  from (select count(*)::int as orders from found) counted where counted.orders <= $most
  returning id
),
fixed as (
  insert into bulk_order (bulk_run_id, order_id, status, version)
  select run.id, found.id, found.status, found.version from run, found
)
select id from run`,
);

/** A bulk run that an admin has asked for, with its filter as written and as read. */
export interface RequestedRun {
  action: BulkAction;
  arguments: BulkArguments;
  where: string;
  filter: BulkFilter;
  reason: string;
  admin: AdminActor;
}

/**
 * Selects the orders of a run in one statement, and keeps them: the run carries out exactly these. Changes no order. Resolves to
 * the run's id. Throws `validation_failed` if the filter selects too many orders.
 */
export async function dryRunBulk(
  db: Database,
  { action, arguments: given, where, filter, reason, admin }: RequestedRun,
  most = MAX_BULK_ORDERS,
): Promise<number> {
  const [prepared] = await run<{ id: number }>(db, DRY_RUN, {
    ...{ action, arguments: JSON.stringify(given), filter: where, reason, createdBy: admin },
    ...{ validMs: DRY_RUN_VALID_MS, most },
    statuses: filter.status ?? null,
    currencies: filter.currency ?? null,
    chains: filter.chain ?? null,
    agents: filter.agent ?? null,
    lps: filter.lp ?? null,
    frozen: filter.frozen ?? null,
    dueBefore: filter.dueBefore ?? null,
    dueAfter: filter.dueAfter ?? null,
    createdBefore: filter.createdBefore ?? null,
    createdAfter: filter.createdAfter ?? null,
  });
  if (prepared) return prepared.id;
  const limit = most.toLocaleString('en-US');
  throw invalidField('where', `selects more than ${limit} orders: add a condition, such as created>2d`);
}

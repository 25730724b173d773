import { BulkRun } from '../../db/entities/bulk.ts';
import type { Database } from '../../db/orm.ts';
import { type BulkOutcome, bulkState } from '../../domain/bulk.ts';
import { DomainError } from '../../domain/errors.ts';
import type { AdminActor } from '../../domain/order-commands.ts';

/** Throws `not_found`. */
export async function findBulkRun(db: Database, id: number): Promise<BulkRun> {
  const run = await db.em().findOne(BulkRun, { id });
  if (!run) throw new DomainError('not_found');
  return run;
}

const START = `
  update bulk_run set started_at = now(), context = nullif(current_setting('corridor.audit', true), '')::jsonb
  where id = $1 and created_by = $2 and started_at is null and stopped_at is null and expires_at > now()
  returning id`;

/**
 * Lets the workers carry out a run that its admin has prepared. A repeated call changes nothing. Throws `not_found`, and
 * `wrong_state` for the dry run of another admin, one that has expired, and a run that was stopped.
 */
export async function startBulkRun(db: Database, id: number, admin: AdminActor): Promise<void> {
  if ((await db.query('bulk-start', START, [id, admin])).length > 0) return;
  const run = await findBulkRun(db, id);
  if (run.created_by !== admin)
    throw new DomainError('wrong_state', `Bulk run ${id} is the dry run of ${run.created_by}: make your own`);
  const state = bulkState(timesOf(run), new Date());
  if (state === 'running' || state === 'finished') return;
  throw new DomainError(
    'wrong_state',
    state === 'expired'
      ? `The dry run ${id} is too old, and orders may have moved: make a new one`
      : `Bulk run ${id} was stopped: make a new dry run`,
  );
}

const STOP = `
  update bulk_run set stopped_at = now(), stopped_by = $2
  where id = $1 and stopped_at is null and finished_at is null
  returning id`;

/** Lets no worker take up further orders of a run. A repeated call changes nothing. Returns whether this call stopped it. */
export const stopBulkRun = async (db: Database, id: number, by: AdminActor | 'service'): Promise<boolean> =>
  (await db.query('bulk-stop', STOP, [id, by])).length > 0;

export const timesOf = ({ expires_at, started_at, stopped_at, finished_at }: BulkRun) => ({
  expires_at: new Date(expires_at),
  started_at: started_at ?? null,
  stopped_at: stopped_at ?? null,
  finished_at: finished_at ?? null,
});

/** How many orders of a run are treated, by run. */
export async function treatedOrders(db: Database, ids: number[]): Promise<Map<number, number>> {
  const rows = await db.query<{ id: number; treated: number }>('bulk-treated', TREATED, [ids]);
  return new Map(rows.map(({ id, treated }) => [id, treated]));
}
const TREATED = `
  select bulk_run_id as id, count(outcome)::int as treated from bulk_order where bulk_run_id = any($1::bigint[]) group by 1`;

/** What became of the orders of a run. */
export interface BulkReport {
  /** The first orders of the set. */
  sample: number[];
  outcomes: { outcome: BulkOutcome; reason: string | null; orders: number }[];
  /** The first orders that the run did not change. */
  untouched: { order_id: number; outcome: BulkOutcome; reason: string | null }[];
}

const SAMPLE_SIZE = 10;
const UNTOUCHED_SHOWN = 20;

/** Each part is an array, so that one statement reads one state of the run. */
const REPORT = `
with outcomes as (
  select outcome, reason, count(*)::int as orders from bulk_order where bulk_run_id = $1 and outcome is not null
  group by outcome, reason order by orders desc, outcome, reason
),
untouched as (
  select order_id, outcome, reason from bulk_order where bulk_run_id = $1 and outcome not in ('applied', 'already')
  order by order_id limit $3
)
select
  array(select order_id from bulk_order where bulk_run_id = $1 order by order_id limit $2) as sample,
  coalesce((select json_agg(outcomes) from outcomes), '[]') as outcomes,
  coalesce((select json_agg(untouched) from untouched), '[]') as untouched`;

export async function bulkReport(db: Database, id: number): Promise<BulkReport> {
  const [report] = await db.query<BulkReport & Record<string, unknown>>('bulk-report', REPORT, [
    id,
    SAMPLE_SIZE,
    UNTOUCHED_SHOWN,
  ]);
  if (!report) throw new Error('A report is one row');
  return { ...report, sample: report.sample.map(Number) };
}

import type { Database } from '../../../db/orm.ts';
import { attemptAll } from '../../../temporal/attempt-all.ts';
import type { OrderGateway } from '../../../temporal/gateway.ts';
import type { BulkLabel } from '../../../temporal/start-options.ts';

export interface StartBulkDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'startBulk'>;
}

interface UnfinishedRun extends BulkLabel {
  is_stuck: boolean;
}

/**
 * A worker takes a turn at least every half a minute, even while no order answers. A workflow that replaces a stuck one gets as
 * long for its first turn: a busy worker would otherwise never come to it.
 */
const UNFINISHED = `
  with stuck as (
    update bulk_run set worked_at = now()
    where started_at is not null and finished_at is null
      and coalesce(worked_at, started_at) < now() - interval '2 minutes'
    returning id
  )
  select run.id, action, orders, stuck.id is not null as is_stuck
  from bulk_run run left join stuck on stuck.id = run.id
  where started_at is not null and finished_at is null`;

/**
 * Starts the workflow of each unfinished bulk run, unless it runs: the process that started the run may have died, Temporal may
 * have lost its store, or somebody has ended the workflow. Replaces a workflow that does nothing.
 */
export async function startBulkRuns({ db, gateway }: StartBulkDeps): Promise<void> {
  const runs = await db.query<UnfinishedRun & Record<string, unknown>>('bulk-unfinished', UNFINISHED, []);
  await attemptAll(runs, ({ is_stuck, ...run }) => gateway.startBulk(run, is_stuck));
}

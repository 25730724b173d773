import type { Database } from '../../db/orm.ts';

/** The reconciler's report to all processes. It runs in one worker process at a time. */
export interface ReconcilerProgress {
  /** When its jobs that heal drift last succeeded, ISO 8601; null before the first time. */
  lastRunAt: string | null;
  /** All workflows that it has ever started. */
  startedWorkflows: number;
  /** Whether it ran recently, so that drift heals by itself. */
  atWork: boolean;
}

/** Rounds start every few seconds; without one for this long, nothing heals. */
const LATE_AFTER = '1 minute';

const RECORD = `
  insert into reconciler_progress (id, last_run_at, started_workflows) values (1, now(), $1)
  on conflict (id) do update
  set last_run_at = now(), started_workflows = reconciler_progress.started_workflows + excluded.started_workflows`;
const READ = `
  select last_run_at, started_workflows, last_run_at > now() - interval '${LATE_AFTER}' as at_work
  from reconciler_progress`;

export const recordProgress = (db: Database, started: number) =>
  db.query('reconciler-progress-record', RECORD, [started]);

export async function reconcilerProgress(db: Database): Promise<ReconcilerProgress> {
  const [row] = await db.query<{ last_run_at: string; started_workflows: number; at_work: boolean }>(
    'reconciler-progress',
    READ,
    [],
  );
  if (!row) return { lastRunAt: null, startedWorkflows: 0, atWork: false };
  const { last_run_at, started_workflows, at_work } = row;
  return {
    lastRunAt: new Date(last_run_at).toISOString(),
    startedWorkflows: started_workflows,
    atWork: at_work,
  };
}

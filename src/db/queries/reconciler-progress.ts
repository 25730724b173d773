import type { Database } from '../orm.ts';

/** What the reconciler, which runs in one worker process or another, lets the other processes know of itself. */
export interface ReconcilerProgress {
  /** When it last did what it had to, ISO 8601; null before its first time. */
  lastRunAt: string | null;
  /** Workflows that it has ever started. */
  startedWorkflows: number;
  /** It has been at work lately: what it can mend, it is mending. */
  atWork: boolean;
}

/** It runs every few seconds; where it has not for this long, nothing mends what it should. */
const LATE_AFTER = '1 minute';

const NOTE = `
  insert into reconciler_progress (id, last_run_at, started_workflows) values (1, now(), $1)
  on conflict (id) do update
  set last_run_at = now(), started_workflows = reconciler_progress.started_workflows + excluded.started_workflows`;
const READ = `
  select last_run_at, started_workflows, last_run_at > now() - interval '${LATE_AFTER}' as at_work
  from reconciler_progress`;

export const noteProgress = (db: Database, started: number) =>
  db.query('reconciler-progress-note', NOTE, [started]);

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

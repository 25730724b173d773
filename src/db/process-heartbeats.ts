import type { Database } from './orm.ts';

/** The parts of the service. Each process runs one or both. */
export type Part = 'api' | 'worker';

/** How often each process records its heartbeat, in milliseconds. */
export const HEARTBEAT_EVERY_MS = 1_000;

/** A process whose last heartbeat is older than this has stopped or is too busy. */
export const GONE_AFTER = '10 seconds';

/**
 * The same for `why`, which a person can run again: a process that misses four heartbeats. Nothing else may depend on it,
 * because a busy process can be late.
 */
export const SILENT_AFTER = '4 seconds';

const NOTE = `
  with stale as (delete from process_heartbeat where seen_at < now() - interval '1 hour')
  insert into process_heartbeat (id, part) values ($1, $2) on conflict (id) do update set seen_at = now()`;
const ANY = `
  select exists (
    select from process_heartbeat where part = $1 and seen_at > now() - $2::interval
  ) as there`;
const COUNTS = `
  select part, count(*) as processes from process_heartbeat
  where seen_at > now() - interval '${GONE_AFTER}' group by part`;
const FORGET = 'delete from process_heartbeat where id = $1';

export const noteProcess = (db: Database, id: string, part: Part) =>
  db.query('process-note', NOTE, [id, part]);
export const forgetProcess = (db: Database, id: string) => db.query('process-forget', FORGET, [id]);

/** Whether any process runs this part. Temporal still reports a worker for a minute after the last one has stopped. */
export async function anyProcess(db: Database, part: Part, within = GONE_AFTER): Promise<boolean> {
  const rows = await db.query<{ there: boolean }>('process-any', ANY, [part, within]);
  return rows[0]?.there ?? false;
}

/** How many processes run each part. */
export async function processCounts(db: Database): Promise<Record<Part, number>> {
  const rows = await db.query<{ part: Part; processes: number }>('process-counts', COUNTS, []);
  return { api: 0, worker: 0, ...Object.fromEntries(rows.map(({ part, processes }) => [part, processes])) };
}

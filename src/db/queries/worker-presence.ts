import type { Database } from '../orm.ts';

/** A worker that has not been heard of for this long is gone, or too busy to be counted on. */
const GONE_AFTER = '10 seconds';

const NOTE = `
  with forgotten as (delete from worker_presence where seen_at < now() - interval '1 hour')
  insert into worker_presence (id) values ($1) on conflict (id) do update set seen_at = now()`;
const ANY = `select exists (select from worker_presence where seen_at > now() - interval '${GONE_AFTER}') as there`;
const FORGET = 'delete from worker_presence where id = $1';

export const noteWorker = (db: Database, id: string) => db.query('worker-note', NOTE, [id]);
export const forgetWorker = (db: Database, id: string) => db.query('worker-forget', FORGET, [id]);

/** Whether any worker process is there. Temporal alone would say so for a minute after the last one has gone. */
export async function anyWorker(db: Database): Promise<boolean> {
  const rows = await db.query<{ there: boolean }>('worker-any', ANY, []);
  return rows[0]?.there ?? false;
}

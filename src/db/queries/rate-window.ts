import type { Database } from '../orm.ts';

/**
 * Counts a request against a window that slides with the clock, exactly and over all processes: the row of the key
 * is locked while its recent times are counted. A request that is refused is not counted.
 */
const HIT = `
  insert into rate_window as w (key, hits, updated_at) values ($1, array[clock_timestamp()], now())
  on conflict (key) do update
  set updated_at = now(), hits = array_append(
    array(select hit from unnest(w.hits) hit where hit > clock_timestamp() - $3::interval order by hit),
    clock_timestamp()
  )
  where (select count(*) from unnest(w.hits) hit where hit > clock_timestamp() - $3::interval) < $2::int
  returning 1`;

const SECONDS_LEFT = `
  select ceil(extract(epoch from min(hit) + $2::interval - clock_timestamp()))::int as seconds
  from rate_window, unnest(hits) hit where key = $1 and hit > clock_timestamp() - $2::interval`;

/** Undefined when the request is within the limit, else the seconds until the next one will be. */
export async function hitRateWindow(
  db: Database,
  key: string,
  limit: number,
  windowSeconds: number,
): Promise<number | undefined> {
  const window = `${windowSeconds} seconds`;
  const within = await db.query('rate-hit', HIT, [key, limit, window]);
  if (within.length > 0) return undefined;
  const rows = await db.query<{ seconds: number | null }>('rate-left', SECONDS_LEFT, [key, window]);
  return Math.max(1, rows[0]?.seconds ?? 1);
}

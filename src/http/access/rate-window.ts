import type { Database } from '../../db/orm.ts';

/** How much of its rate window a caller has used. */
export interface RateState {
  /** Whether the request is within the limit, and so was counted. */
  within: boolean;
  /** The number of further requests that fit into the window. */
  remaining: number;
  /** Seconds until the oldest counted request leaves the window and makes room for one more. */
  resetSeconds: number;
}

const recent = (hits: string) =>
  `array(select hit from unnest(${hits}) hit where hit > clock_timestamp() - $3::interval order by hit)`;
/** SQL for the seconds until a time, at least 1. */
export const secondsUntil = (time: string) =>
  `greatest(1, ceil(extract(epoch from ${time} - clock_timestamp())))::int`;
const secondsLeft = (oldest: string, window = '$3') => secondsUntil(`${oldest} + ${window}::interval`);

/**
 * Counts a request against a sliding window, exactly and across all processes: the statement locks the row of the key
 * while it counts the recent hits. For a refused request it reads the row unchanged.
 */
const HIT = `
  with hit as (
    insert into rate_window as w (key, hits, updated_at) values ($1, array[clock_timestamp()], now())
    on conflict (key) do update
    set updated_at = now(), hits = array_append(${recent('w.hits')}, clock_timestamp())
    where cardinality(${recent('w.hits')}) < $2::int
    returning hits
  )
  select true as within, $2::int - cardinality(hits) as remaining, ${secondsLeft('hits[1]')} as reset from hit
  union all
  select false, 0, ${secondsLeft(`(${recent('w.hits')})[1]`)}
  from rate_window w where key = $1 and not exists (select from hit)`;

const READ = `
  select cardinality(hits) < $2::int as within, greatest(0, $2::int - cardinality(hits)) as remaining,
    ${secondsLeft('hits[1]')} as reset
  from (select ${recent('hits')} as hits from rate_window where key = $1) counted`;

/**
 * SQL for the seconds until the window of a key has room again: one row with `wait`, or no row while there is room.
 * `hits` is sorted, so the window is full while the hit at `limit` places from the end is recent.
 */
export const fullWindow = (key: string, limit: string, window: string) => `
  select ${secondsLeft('hits[cardinality(hits) - limit_ + 1]', window)} as wait
  from rate_window, cast(${limit} as int) limit_
  where key = ${key} and hits[cardinality(hits) - limit_ + 1] > clock_timestamp() - ${window}::interval`;

interface Row {
  within: boolean;
  remaining: number;
  /** Null when the window has no hits. */
  reset: number | null;
}

/** Counts a request, unless the window is full. */
export async function hitRateWindow(
  db: Database,
  key: string,
  limit: number,
  windowSeconds: number,
): Promise<RateState> {
  const rows = await db.query<Row>('rate-hit', HIT, [key, limit, `${windowSeconds} seconds`]);
  // No row: concurrent requests filled the window after this statement took its snapshot.
  return state(rows[0] ?? { within: false, remaining: 0, reset: windowSeconds }, windowSeconds);
}

/** Reads a window without counting a request. */
export async function readRateWindow(
  db: Database,
  key: string,
  limit: number,
  windowSeconds: number,
): Promise<RateState> {
  const rows = await db.query<Row>('rate-read', READ, [key, limit, `${windowSeconds} seconds`]);
  return state(rows[0] ?? { within: true, remaining: limit, reset: windowSeconds }, windowSeconds);
}

const state = ({ within, remaining, reset }: Row, windowSeconds: number): RateState => ({
  within,
  remaining,
  resetSeconds: reset ?? windowSeconds,
});

import type { Database } from '../orm.ts';

/** Where a caller stands in its window. */
export interface RateState {
  /** Whether the request was counted; one over the limit is not. */
  within: boolean;
  /** Requests that the window still has room for. */
  remaining: number;
  /** Seconds until the oldest counted request leaves the window, and one more has room. */
  resetSeconds: number;
}

const recent = (hits: string) =>
  `array(select hit from unnest(${hits}) hit where hit > clock_timestamp() - $3::interval order by hit)`;
const secondsLeft = (oldest: string, window = '$3') =>
  `greatest(1, ceil(extract(epoch from ${oldest} + ${window}::interval - clock_timestamp())))::int`;

/**
 * Counts a request against a window that slides with the clock, exactly and over all processes: the row of the key
 * is locked while its recent times are counted. Of a request that was refused the row is read as it was before.
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

const LOOK = `
  select cardinality(hits) < $2::int as within, greatest(0, $2::int - cardinality(hits)) as remaining,
    ${secondsLeft('hits[1]')} as reset
  from (select ${recent('hits')} as hits from rate_window where key = $1) counted`;

/**
 * Seconds until the window of a key has room again, in SQL: a row with `wait`, or none while there is room. Hits are
 * kept in their order, so that a window is full while the one with all but one of the limit behind it is recent.
 */
export const fullWindow = (key: string, limit: string, window: string) => `
  select ${secondsLeft('hits[cardinality(hits) - limit_ + 1]', window)} as wait
  from rate_window, cast(${limit} as int) limit_
  where key = ${key} and hits[cardinality(hits) - limit_ + 1] > clock_timestamp() - ${window}::interval`;

interface Row {
  within: boolean;
  remaining: number;
  /** Null when nothing in the window is known. */
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
  // No row at all: the window was filled by requests that this statement was too early to see.
  return state(rows[0] ?? { within: false, remaining: 0, reset: windowSeconds }, windowSeconds);
}

/** Reads a window without counting. */
export async function lookAtRateWindow(
  db: Database,
  key: string,
  limit: number,
  windowSeconds: number,
): Promise<RateState> {
  const rows = await db.query<Row>('rate-look', LOOK, [key, limit, `${windowSeconds} seconds`]);
  return state(rows[0] ?? { within: true, remaining: limit, reset: windowSeconds }, windowSeconds);
}

const state = ({ within, remaining, reset }: Row, windowSeconds: number): RateState => ({
  within,
  remaining,
  resetSeconds: reset ?? windowSeconds,
});

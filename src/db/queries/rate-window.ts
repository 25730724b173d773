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

const recent = (hits: string, window = '$3') =>
  `array(select hit from unnest(${hits}) hit where hit > clock_timestamp() - ${window}::interval order by hit)`;
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

/** Where the window of a key stands, in SQL: one `StandingRow`, or none where nothing has been counted. */
export const standing = (key: string, limit: string, window: string) => `
  select cardinality(hits) < ${limit}::int as within, greatest(0, ${limit}::int - cardinality(hits)) as remaining,
    ${secondsLeft('hits[1]', window)} as reset
  from (select ${recent('hits', window)} as hits from rate_window where key = ${key}) counted`;

const LOOK = standing('$1', '$2', '$3');

export interface StandingRow {
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
  const rows = await db.query<StandingRow>('rate-hit', HIT, [key, limit, `${windowSeconds} seconds`]);
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
  const rows = await db.query<StandingRow>('rate-look', LOOK, [key, limit, `${windowSeconds} seconds`]);
  return rateState(rows[0], limit, windowSeconds);
}

/** What a look has found; nothing has been counted where there is no row. */
export const rateState = (row: StandingRow | undefined, limit: number, windowSeconds: number): RateState =>
  state(row ?? { within: true, remaining: limit, reset: windowSeconds }, windowSeconds);

const state = ({ within, remaining, reset }: StandingRow, windowSeconds: number): RateState => ({
  within,
  remaining,
  resetSeconds: reset ?? windowSeconds,
});

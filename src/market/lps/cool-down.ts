import { MAX_COOL_DOWN_MS, STRIKES_COUNT_FOR } from '../../domain/cool-down.ts';

const COUNTS = `forgiveness_id is null and created_at > now() - interval '${STRIKES_COUNT_FOR}'`;
const LONGEST_SECONDS = MAX_COOL_DOWN_MS / 1_000;

/**
 * SQL for one row about an LP: `strikes`, the number of strikes that count, and `cooling_until`, the end of the cool-down
 * or null. `lpId`: an expression. `base`: the parameter with the first cool-down in ms.
 */
export const strikesOf = (lpId: string, base: string): string => `
  select count(*)::int as strikes,
    max(created_at) + make_interval(
      secs => least(${base}::float8 / 1000 * power(2, least(count(*) - 1, 60)), ${LONGEST_SECONDS})
    ) as cooling_until
  from lp_strike where lp_id = ${lpId} and ${COUNTS}`;

/** SQL: whether the LP of this row is cooling down. `base`: the parameter with the first cool-down in ms. */
export const isCoolingDown = (lp: string, base: string): string =>
  `coalesce((select struck.cooling_until > now() from (${strikesOf(`${lp}.id`, base)}) struck), false)`;

/** SQL for the ids of LPs that are cooling down. Only strikes within the longest cool-down can matter. */
export const coolingLps = (base: string): string => `
  select recent.lp_id
  from (
    select distinct lp_id from lp_strike
    where forgiveness_id is null and created_at > now() - interval '${LONGEST_SECONDS} seconds'
  ) recent
  cross join lateral (${strikesOf('recent.lp_id', base)}) struck
  where struck.cooling_until > now()`;

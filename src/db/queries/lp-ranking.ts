import { TIER_MULTIPLIERS } from '../../domain/collateral.ts';
import { BEFORE_ANY_RECORD, ROOM_THAT_COUNTS } from '../../domain/lp-ranking.ts';

const { completed, letDown, fiatSeconds } = BEFORE_ANY_RECORD;

/** The record that the ranking reads. */
export const RANKED_BY = 'left join lp_statistics record on record.lp_id = lp.id';

/**
 * The order in which LPs are quoted and claimed for, the best first; total, as it ends with the id. For queries with
 * `lp`, `collateral`, `asset` (null: the LP does not take the token), `rate` (null: it publishes none) and `RANKED_BY`.
 * `amountUsd`: the order's value. Rates of completion are compared by the percent, or the last cannot ever be asked.
 */
export function ranking(amountUsd: string): string {
  // As `collateralSlice` computes it.
  const slice = `ceil(${amountUsd} * ('{${TIER_MULTIPLIERS}}'::numeric[])[lp.tier + 1] * 100) / 100`;
  return `
    asset.lp_id is null,
    collateral.available < ${slice},
    (10000 + lp.spread_bps) / rate.rate_usd asc nulls last,
    least(trunc(collateral.available / (${slice})), ${ROOM_THAT_COUNTS}) desc,
    round(
      (coalesce(record.recent_completed, 0) + ${completed})::numeric
        / (coalesce(record.recent_completed, 0) + coalesce(record.recent_let_down, 0) + ${completed + letDown}),
      2
    ) desc,
    coalesce(record.median_fiat_seconds, ${fiatSeconds}),
    lp.id`;
}

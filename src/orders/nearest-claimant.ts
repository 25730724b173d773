import type { Database } from '../db/orm.ts';
import { run, statement } from '../db/statement.ts';
import { strikesOf } from '../market/lps/cool-down.ts';
import { allHold, claimantRows } from '../market/lps/may-claim.ts';
import { requiredCollateral } from '../market/lps/required-collateral.ts';

/**
 * What can keep an LP with terms for the order's corridor from a claim, the farthest from a claim first. `nothing`: the LP
 * can claim. `rate`: the LP can claim by hand, but Corridor does not claim for it, because its rate has expired.
 */
const LACKS = {
  approval: allHold('approved'),
  another_claim: 'not lp.id = any (orders.excluded_lp_ids)',
  quoting: 'term.quoting',
  band: allHold('minimum', 'maximum'),
  address: allHold('address'),
  float: allHold('float'),
  collateral: allHold('collateral'),
  cool_down: allHold('cooled_down'),
  rate: 'term.rate_usd is not null and term.valid_until > now()',
};
const MISSING = [...Object.keys(LACKS), 'nothing'];

/** The LP that misses the least. Amounts are decimal strings, those of fiat in the order's currency. */
export interface NearestClaimant {
  lp_id: number;
  missing: keyof typeof LACKS | 'nothing';
  status: string;
  min_fiat: string;
  max_fiat: string | null;
  float_available: string | null;
  /** USD: the LP's free collateral, and what the order would lock. */
  available: string;
  locks: string;
  /** A time. */
  cooling_until: string | null;
}

const NEAREST = statement(
  'nearest-claimant',
  `select lp.id as lp_id, lp.status, trim_scale(term.min_fiat) as min_fiat, trim_scale(term.max_fiat) as max_fiat,
    trim_scale(term.float_available) as float_available, trim_scale(trunc(collateral.available, 2)) as available,
    trim_scale(${requiredCollateral('orders.amount_usd', 'lp.tier')}) as locks, struck.cooling_until, lacks.missing
  from orders
  cross join ${claimantRows('priced_term')}
  cross join lateral (${strikesOf('lp.id', '$strikeCoolDown')}) struck
  cross join lateral (
    select case
      ${Object.entries(LACKS)
        .map(([missing, holds]) => `when (${holds}) is not true then '${missing}'`)
        .join('\n      ')}
      else 'nothing'
    end as missing
  ) lacks
  where orders.id = $orderId and ${allHold('corridor')}
  order by array_position('{${MISSING}}', lacks.missing) desc, collateral.available desc, lp.id
  limit 1`,
);

/**
 * The LP that comes nearest to claiming an order that waits for a claim. Undefined: no LP has terms for its corridor.
 * `strikeCoolDown`: the first cool-down after a strike, in ms.
 */
export async function nearestClaimant(
  db: Database,
  orderId: number,
  strikeCoolDown: number,
): Promise<NearestClaimant | undefined> {
  const [row] = await run<NearestClaimant & Record<string, unknown>>(db, NEAREST, {
    ...{ orderId, strikeCoolDown },
  });
  return row;
}

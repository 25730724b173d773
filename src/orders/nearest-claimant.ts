import type { Database } from '../db/orm.ts';
import { run, statement } from '../db/statement.ts';
import { strikesOf } from '../market/lps/cool-down.ts';
import { requiredCollateral } from '../market/lps/required-collateral.ts';
import { isOfCorridor, takesAmount } from '../market/lps/serves-order.ts';

/**
 * What can keep an LP with terms for the order's corridor from a claim, the farthest from a claim first. `nothing`: the LP
 * can claim. `rate`: the LP can claim by hand, but Corridor does not claim for it, because its rate has expired.
 */
export const MISSING = [
  'approval',
  'another_claim',
  'quoting',
  'band',
  'address',
  'float',
  'collateral',
  'cool_down',
  'rate',
  'nothing',
] as const;

/** The LP that misses the least. Amounts are decimal strings, those of fiat in the order's currency. */
export interface NearestClaimant {
  lp_id: number;
  missing: (typeof MISSING)[number];
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
    trim_scale(needed.locks) as locks, struck.cooling_until, lacks.missing
  from orders
  join priced_term term on ${isOfCorridor('term', 'orders')}
  join lp on lp.id = term.lp_id
  join lp_collateral collateral on collateral.lp_id = lp.id
  cross join lateral (${strikesOf('lp.id', '$coolDown')}) struck
  cross join lateral (select ${requiredCollateral('orders.amount_usd', 'lp.tier')} as locks) needed
  cross join lateral (
    select case
      when lp.status <> 'approved' then 'approval'
      when lp.id = any (orders.excluded_lp_ids) then 'another_claim'
      when not term.quoting then 'quoting'
      when orders.amount_fiat < term.min_fiat or orders.amount_fiat > term.max_fiat then 'band'
      when not exists (
        select from lp_asset asset
        where asset.lp_id = lp.id and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
      ) then 'address'
      when not (${takesAmount('term', 'orders.amount_fiat')}) then 'float'
      when collateral.available < needed.locks then 'collateral'
      when struck.cooling_until > now() then 'cool_down'
      when term.rate_usd is null or term.valid_until <= now() then 'rate'
      else 'nothing'
    end as missing
  ) lacks
  where orders.id = $orderId
  order by array_position('{${MISSING}}', lacks.missing) desc, collateral.available desc, lp.id
  limit 1`,
);

/**
 * The LP that comes nearest to claiming an order that waits for a claim. Undefined: no LP has terms for its corridor.
 * `coolDown`: the first cool-down after a strike, in ms.
 */
export async function nearestClaimant(
  db: Database,
  orderId: number,
  coolDown: number,
): Promise<NearestClaimant | undefined> {
  const [row] = await run<NearestClaimant & Record<string, unknown>>(db, NEAREST, { orderId, coolDown });
  return row;
}

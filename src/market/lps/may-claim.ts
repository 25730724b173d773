import { strikesOf } from './cool-down.ts';
import { servesOrder } from './serves-order.ts';

/**
 * SQL conditions under which an LP may claim an order. The claim step requires them, because a workflow's candidates
 * come through Temporal. `lp` and `order` are rows.
 */

/** `base`: the parameter with the first cool-down in ms. */
export const isCoolingDown = (lp: string, base: string): string =>
  `coalesce((select struck.cooling_until > now() from (${strikesOf(`${lp}.id`, base)}) struck), false)`;

/**
 * The LP's auto-claim takes the order: its limits, its currencies, currently valid terms for the order, and the minimum
 * profit. The profit is that of `estimatedProfit`, multiplied by the rate so that nothing is rounded.
 */
export const autoClaimTakes = (lp: string, order: string): string => `exists (
      select from lp_auto_claim auto
      join lp_rate rate on rate.lp_id = auto.lp_id and ${servesOrder('rate', order)}
      where auto.lp_id = ${lp}.id and auto.enabled and ${order}.timeout_at > now()
        and (auto.max_amount_usd is null or ${order}.amount_usd <= auto.max_amount_usd)
        and (auto.currencies is null or ${order}.currency = any (auto.currencies))
        and (${order}.amount_usd * (10000 + ${order}.spread_bps) * 0.0001 - auto.min_profit_usd) * rate.rate_usd
          >= ${order}.amount_fiat
    )`;

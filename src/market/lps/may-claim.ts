import { pausesOf, pausesToObey, paymentOf } from '../../db/pauses.ts';
import { agentKeyIsValid } from '../../db/revoked-agent.ts';
import type { StepRefusal } from '../../domain/order-steps.ts';
import { isCoolingDown } from './cool-down.ts';
import { requiredCollateral } from './required-collateral.ts';
import { coversAmount, isOfCorridor, isWithinMaximum, isWithinMinimum, servesOrder } from './serves-order.ts';

/** One thing that must hold for an LP to claim an order, in SQL. */
interface ClaimCondition {
  holds: string;
  /**
   * In the statement that claims, if it needs another form there: it joins the rows, and takes locks. Null: a CHECK decides under
   * the lock.
   */
  whenClaiming?: string | null;
  /** Of a claim for which this is the first condition that does not hold. */
  refusal: StepRefusal;
}

const PAYMENT = paymentOf('orders');
/** The LP's address is for the order's token. */
export const IS_FOR_TOKEN = 'asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain';

/** The LP's auto-claim takes the order, whatever it earns. `auto`: the LP's row of `lp_auto_claim`. */
export const IS_WITHIN_AUTO_CLAIM = `auto.enabled and orders.timeout_at > now()
        and (auto.max_amount_usd is null or orders.amount_usd <= auto.max_amount_usd)
        and (auto.currencies is null or orders.currency = any (auto.currencies))`;

/**
 * May this LP claim this order? One list for all who ask: the claim's statement requires every condition, and the reason for a
 * refusal is the first that does not hold. The handler, automatic claims, the reoffer of a failed claim and the explanation of
 * an open order read the same list. What the order's own row says, such as its status and the LPs that have failed it, the state
 * machine decides.
 *
 * The conditions read the rows `orders`, `lp`, `collateral`, `asset` (the LP's address for the order's token) and `term` (its terms
 * for the order's corridor).
 */
export const CLAIM_CONDITIONS = {
  approved: { holds: "lp.status = 'approved'", refusal: 'lp_not_approved' },
  // A claim waits until a pause that begins is committed.
  not_paused: {
    holds: `not exists (${pausesOf(PAYMENT)})`,
    whenClaiming: `not exists (${pausesToObey(PAYMENT)})`,
    refusal: 'paused',
  },
  cooled_down: { holds: `not ${isCoolingDown('lp', '$strikeCoolDown')}`, refusal: 'lp_cooling_down' },
  address: { holds: 'asset.lp_id is not null', whenClaiming: IS_FOR_TOKEN, refusal: 'no_receive_address' },
  corridor: {
    holds: 'term.lp_id is not null',
    whenClaiming: isOfCorridor('term', 'orders'),
    refusal: 'corridor_not_served',
  },
  minimum: { holds: isWithinMinimum('term', 'orders.amount_fiat'), refusal: 'outside_terms' },
  maximum: { holds: isWithinMaximum('term', 'orders.amount_fiat'), refusal: 'outside_terms' },
  float: { holds: coversAmount('term', 'orders.amount_fiat'), refusal: 'outside_terms' },
  collateral: {
    holds: `collateral.available >= ${requiredCollateral('orders.amount_usd', 'lp.tier')}`,
    whenClaiming: null,
    refusal: 'insufficient_collateral',
  },
  agent_key: { holds: agentKeyIsValid('orders'), refusal: 'order_not_claimable' },
  // After this time the API has already answered that the claim failed, so the claim must not lock collateral.
  in_time: { holds: 'now() <= $validUntil::timestamptz', refusal: 'order_not_claimable' },
  // The profit is that of `estimatedProfit`, multiplied by the rate so that nothing is rounded.
  auto_claim: {
    holds: `($cause <> 'auto-claim' or exists (
      select from lp_auto_claim auto
      join lp_rate rate on rate.lp_id = auto.lp_id and ${servesOrder('rate', 'orders')}
      where auto.lp_id = lp.id and ${IS_WITHIN_AUTO_CLAIM}
        and (orders.amount_usd * (10000 + orders.spread_bps) * 0.0001 - auto.min_profit_usd) * rate.rate_usd
          >= orders.amount_fiat
    ))`,
    refusal: 'order_not_claimable',
  },
} satisfies Record<string, ClaimCondition>;

/** The first condition for a claim that does not hold. */
export type ClaimObstacle = keyof typeof CLAIM_CONDITIONS;

const ALL: [ClaimObstacle, ClaimCondition][] = Object.entries(CLAIM_CONDITIONS) as [
  ClaimObstacle,
  ClaimCondition,
][];

/** SQL: these conditions hold. */
export const allHold = (...names: ClaimObstacle[]): string =>
  names.map((name) => CLAIM_CONDITIONS[name].holds).join('\n      and ');

/** SQL: the conditions that the statement of a claim requires, one for each element. It joins `lp`, `asset` and `term`. */
export const REQUIRED_BY_CLAIM = ALL.flatMap(([, { holds, whenClaiming = holds }]) => whenClaiming ?? []);

/** SQL: the rows that the conditions read besides `orders`. Those that the LP does not have are null. */
export const claimantRows = (terms: 'lp_term' | 'priced_term' = 'lp_term'): string => `lp
    join lp_collateral collateral on collateral.lp_id = lp.id
    left join receiving_asset asset on asset.lp_id = lp.id and ${IS_FOR_TOKEN}
    left join ${terms} term on term.lp_id = lp.id and ${isOfCorridor('term', 'orders')}`;

const firstObstacle = (conditions: [ClaimObstacle, ClaimCondition][]): string =>
  `case
      ${conditions.map(([name, { holds }]) => `when (${holds}) is not true then '${name}'`).join('\n      ')}
    end`;

/** SQL: the name of the first condition that does not hold. Null: the LP may claim the order. */
export const CLAIM_OBSTACLE = firstObstacle(ALL);

/** As `CLAIM_OBSTACLE`, for a claim whose statement has changed nothing: its CHECKs have been met. */
export const UNMET_BY_CLAIM = firstObstacle(ALL.filter(([, { whenClaiming }]) => whenClaiming !== null));

import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { type AutoClaim, type AutoClaimPair, autoClaim } from '../../domain/auto-claim.ts';
import { allHold, IS_FOR_TOKEN, IS_WITHIN_AUTO_CLAIM } from './may-claim.ts';
import { RANKED_BY, ranking } from './ranking.ts';
import { requiredCollateral } from './required-collateral.ts';
import { isOfCorridor } from './serves-order.ts';

/** How many LPs to try for one order. After that the order stays open for every LP to claim. */
const MAX_CLAIMS = 20;
/** How many open orders to offer an LP at a time. */
const MAX_OFFERS = 100;
/** How many pairs to read for these offers, because `autoClaim` then drops some of them. */
const MAX_PAIRS = 1_000;

/**
 * Open orders with the LPs whose auto-claim covers them. An LP gets orders only under terms that hold now: without a
 * rate, Corridor cannot know whether the order is a loss.
 */
const PAIRS = `
  select orders.id as order_id, orders.amount_fiat, orders.amount_usd, orders.spread_bps,
    lp.id as lp_id, lp.tier, term.rate_usd, collateral.available, auto.min_profit_usd
  from lp_auto_claim auto
  join lp on lp.id = auto.lp_id
  join lp_collateral collateral on collateral.lp_id = lp.id
  join lp_asset asset on asset.lp_id = lp.id
  join orders on orders.status = 'matched' and ${IS_FOR_TOKEN}
  join lp_rate term on term.lp_id = lp.id and ${isOfCorridor('term', 'orders')}
  ${RANKED_BY}
  where ${IS_WITHIN_AUTO_CLAIM} and not lp.id = any (orders.excluded_lp_ids)
    and ${allHold('approved', 'not_paused', 'cooled_down', 'minimum', 'maximum', 'float', 'agent_key')}`;

/**
 * The payer pays the order's rate, so a better rate ranks no higher than that. Otherwise an LP with a rate that is too good to be
 * quoted would be tried before all others.
 */
const RATE = 'least(term.rate_usd, orders.rate_usd)';

const FOR_ORDER = statement(
  'auto-claims-of-order',
  `${PAIRS} and orders.id = $orderId
  order by (orders.lp_id = lp.id) is true desc,
    collateral.available < ${requiredCollateral('orders.amount_usd', 'lp.tier')},
    ${ranking('orders.amount_usd', undefined, RATE)}
  limit ${MAX_PAIRS}`,
);

/**
 * The claims to make for an open order, in order: the quoted LP; then the other LPs as `bestOffer` ranks them, by rates up to the
 * order's own. LPs that are cooling down get no claim.
 * `strikeCoolDown`: the first cool-down after a strike, in ms.
 */
export async function autoClaimsOfOrder(
  db: Database,
  orderId: number,
  strikeCoolDown: number,
): Promise<AutoClaim[]> {
  const pairs = await run<Pair>(db, FOR_ORDER, { orderId, strikeCoolDown });
  return pairs.flatMap((pair) => autoClaim(pair) ?? []).slice(0, MAX_CLAIMS);
}

const FOR_LP = statement(
  'auto-claims-of-lp',
  `${PAIRS} and lp.id = $lpId and orders.id < $before::bigint order by orders.id desc limit ${MAX_PAIRS}`,
);
type Pair = AutoClaimPair & { order_id: number };

/** Some of the open orders that auto-claim would claim for an LP, the newest first. */
export interface LpOffers {
  orderIds: number[];
  /** The others have smaller ids; null: there are no others. */
  before: number | null;
}

/** The newest of these orders that have an id below `before`. */
export async function ordersForAutoClaim(
  db: Database,
  lpId: number,
  strikeCoolDown: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<LpOffers> {
  const pairs = await run<Pair>(db, FOR_LP, { lpId, strikeCoolDown, before });
  const fitting = pairs.filter(autoClaim);
  const offered = fitting.slice(0, MAX_OFFERS);
  // Nothing is left if there are fewer orders than were asked for.
  const last = fitting.length > MAX_OFFERS ? offered.at(-1) : pairs[MAX_PAIRS - 1];
  return { orderIds: offered.map(({ order_id }) => order_id), before: last?.order_id ?? null };
}

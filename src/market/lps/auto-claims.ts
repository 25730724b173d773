import type { Database } from '../../db/orm.ts';
import { pausesOf, paymentOf } from '../../db/pauses.ts';
import { agentKeyIsValid } from '../../db/revoked-agent.ts';
import { type AutoClaim, type AutoClaimPair, autoClaim } from '../../domain/auto-claim.ts';
import { coolingLps } from './cool-down.ts';
import { RANKED_BY, ranking } from './ranking.ts';
import { requiredCollateral } from './required-collateral.ts';
import { servesOrder } from './serves-order.ts';

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
  select o.id as order_id, o.amount_fiat, o.amount_usd, o.spread_bps,
    lp.id as lp_id, lp.tier, rate.rate_usd, collateral.available, auto.min_profit_usd
  from lp_auto_claim auto
  join lp on lp.id = auto.lp_id and lp.status = 'approved'
  join lp_collateral collateral on collateral.lp_id = lp.id
  join lp_asset asset on asset.lp_id = lp.id
  join orders o on o.status = 'matched' and o.crypto_symbol = asset.symbol and o.crypto_chain = asset.chain
    and o.timeout_at > now() and not lp.id = any(o.excluded_lp_ids)
    and not exists (${pausesOf(paymentOf('o'))}) and ${agentKeyIsValid('o')}
    and (auto.max_amount_usd is null or o.amount_usd <= auto.max_amount_usd)
  join lp_rate rate on rate.lp_id = lp.id and ${servesOrder('rate', 'o')}
  ${RANKED_BY}
  where auto.enabled and lp.id not in (${coolingLps('$2')})
    and (auto.currencies is null or o.currency = any(auto.currencies))`;

/**
 * The payer pays the order's rate, so a better rate ranks no higher than that. Otherwise an LP with a rate that is too good to be
 * quoted would be tried before all others.
 */
const RATE = 'least(rate.rate_usd, o.rate_usd)';

const FOR_ORDER = `${PAIRS} and o.id = $1
  order by (o.lp_id = lp.id) is true desc, collateral.available < ${requiredCollateral('o.amount_usd', 'lp.tier')},
    ${ranking('o.amount_usd', undefined, RATE)}
  limit ${MAX_PAIRS}`;

/**
 * The claims to make for an open order, in order: the quoted LP; then the other LPs as `bestOffer` ranks them, by rates up to the
 * order's own. LPs that are cooling down get no claim.
 * `coolDownMs`: the first cool-down after a strike.
 */
export async function autoClaimsOfOrder(
  db: Database,
  orderId: number,
  coolDownMs: number,
): Promise<AutoClaim[]> {
  const pairs = await db.query<AutoClaimPair>('auto-claims-of-order', FOR_ORDER, [orderId, coolDownMs]);
  return pairs.flatMap((pair) => autoClaim(pair) ?? []).slice(0, MAX_CLAIMS);
}

const FOR_LP = `${PAIRS} and lp.id = $1 and o.id < $3::bigint order by o.id desc limit ${MAX_PAIRS}`;

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
  coolDownMs: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<LpOffers> {
  const values = [lpId, coolDownMs, before];
  const pairs = await db.query<AutoClaimPair & { order_id: number }>('auto-claims-of-lp', FOR_LP, values);
  const fitting = pairs.filter(autoClaim);
  const offered = fitting.slice(0, MAX_OFFERS);
  // Nothing is left if there are fewer orders than were asked for.
  const last = fitting.length > MAX_OFFERS ? offered.at(-1) : pairs[MAX_PAIRS - 1];
  return { orderIds: offered.map(({ order_id }) => order_id), before: last?.order_id ?? null };
}

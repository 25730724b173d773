import { type AutoClaim, type AutoClaimPair, autoClaim } from '../../domain/auto-claim.ts';
import type { Database } from '../orm.ts';
import { coolingLps } from './cool-down.ts';
import { RANKED_BY, ranking } from './lp-ranking.ts';

/** More LPs than these are not tried for one order: by then the order is better off open to everybody. */
const MAX_CLAIMS = 20;
/** More open orders than these are not offered when an LP switches auto-claim on. */
const MAX_OFFERS = 100;
/** Pairs that are looked at to find those; what is computed here may leave out some. */
const MAX_PAIRS = 1_000;

/**
 * Open orders with the LPs whose auto-claim covers them. An LP that names no currencies has those that it publishes a
 * rate for: an order in one that it never dealt in must not be put into its hands.
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
    and (auto.max_amount_usd is null or o.amount_usd <= auto.max_amount_usd)
  left join lp_rate rate on rate.lp_id = lp.id and rate.currency = o.currency
  ${RANKED_BY}
  where auto.enabled and lp.id not in (${coolingLps('$2')})
    and case when auto.currencies is null then rate.lp_id is not null else o.currency = any(auto.currencies) end`;

const FOR_ORDER = `${PAIRS} and o.id = $1
  order by (o.lp_id = lp.id) is true desc, ${ranking('o.amount_usd')}
  limit ${MAX_PAIRS}`;

/**
 * The claims to make for an open order, in order: for the LP quoted; then for the others as `bestOffer` ranks them,
 * the cheapest for payers first, so that a good rate wins orders; those without a rate last. None for an LP that
 * cools down; `coolDownMs`: the first cool-down after a strike.
 */
export async function autoClaimsOfOrder(
  db: Database,
  orderId: number,
  coolDownMs: number,
): Promise<AutoClaim[]> {
  const pairs = await db.query<AutoClaimPair>('auto-claims-of-order', FOR_ORDER, [orderId, coolDownMs]);
  return pairs.flatMap((pair) => autoClaim(pair) ?? []).slice(0, MAX_CLAIMS);
}

const FOR_LP = `${PAIRS} and lp.id = $1 order by o.id desc limit ${MAX_PAIRS}`;

/** The newest open orders that would be claimed for an LP. */
export async function ordersForAutoClaim(db: Database, lpId: number, coolDownMs: number): Promise<number[]> {
  const pairs = await db.query<AutoClaimPair & { order_id: number }>('auto-claims-of-lp', FOR_LP, [
    lpId,
    coolDownMs,
  ]);
  return pairs
    .filter(autoClaim)
    .slice(0, MAX_OFFERS)
    .map((pair) => pair.order_id);
}

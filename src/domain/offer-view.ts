import type { Chain } from './assets.ts';
import { collateralSlice } from './collateral.ts';
import { basisPoints, type Decimal, decimal, roundDown, SCALE } from './money.ts';
import type { OrderStatus } from './order-state.ts';

/** An order as an LP sees it: the dashboard and the feed show the same row. */

/** What is read of an order to show it to LPs. Times may be strings, as hand-written statements give them. */
export interface OfferRow {
  id: number;
  status: OrderStatus;
  amount_fiat: string;
  currency: string;
  amount_usd: string;
  /** The quoted LP's margin, which the payer pays to whoever claims. */
  spread_bps: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  amount_crypto: string;
  expires_at: string | Date;
  timeout_at?: string | Date | null | undefined;
  created_at: string | Date;
}

export interface OfferView {
  id: number;
  status: OrderStatus;
  amount_fiat: number;
  currency: string;
  amount_usd: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  amount_crypto: number;
  collateral_required: number;
  est_profit_usd: number;
  expires_at: string;
  created_at: string;
}

/** An order as it is offered to an LP of this tier; `ownRate`: the LP's own rate for the order's currency, if any. */
export const offerView = (row: OfferRow, tier: number, ownRate: string | null): OfferView =>
  offersOf(row)(tier, ownRate);

/** The same for any number of LPs: what does not depend on them is worked out once. */
export function offersOf(row: OfferRow): (tier: number, ownRate: string | null) => OfferView {
  // An order that is offered again can be claimed for longer than it was meant to be at first.
  const claimableUntil = (row.status === 'matched' && row.timeout_at) || row.expires_at;
  const proceeds = proceedsOf(row);
  const slices = new Map<number, number>();
  const sliceOf = (tier: number): number => {
    const slice = slices.get(tier) ?? Number(collateralSlice(row.amount_usd, tier));
    slices.set(tier, slice);
    return slice;
  };
  const forAll = {
    id: row.id,
    status: row.status,
    amount_fiat: Number(row.amount_fiat),
    currency: row.currency,
    amount_usd: Number(row.amount_usd),
    crypto_symbol: row.crypto_symbol,
    crypto_chain: row.crypto_chain,
    amount_crypto: Number(row.amount_crypto),
    expires_at: new Date(claimableUntil).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
  };
  return (tier, ownRate) => {
    const profit = roundDown(proceeds.minus(costOf(row, ownRate)), SCALE.cents);
    return { ...forAll, collateral_required: sliceOf(tier), est_profit_usd: profit.toNumber() };
  };
}

/** The part of an order that decides what an LP earns by it. */
export type OrderTerms = Pick<OfferRow, 'amount_fiat' | 'amount_usd' | 'spread_bps'>;

/**
 * What an LP earns if it claims an order on its terms, in USD; below zero where the LP's own rate is worse than the
 * quoted one by more than the spread.
 *
 *     profit = amount_usd × (1 + spread_bps / 10⁴) − (amount_fiat / the LP's own rate, or amount_usd where it has none)
 *
 * The first part is what the payer's crypto is worth by the quote, less the fee that the LP owes Corridor for it.
 * Shown rounded down to the cent: no LP is promised more than it gets.
 */
export const estimatedProfit = (order: OrderTerms, ownRate: string | null): Decimal =>
  proceedsOf(order).minus(costOf(order, ownRate));

const proceedsOf = ({ amount_usd, spread_bps }: OrderTerms): Decimal =>
  decimal(amount_usd).plus(basisPoints(decimal(amount_usd), spread_bps));

const costOf = ({ amount_usd, amount_fiat }: OrderTerms, ownRate: string | null): Decimal =>
  ownRate === null ? decimal(amount_usd) : decimal(amount_fiat).div(ownRate);

/** What the LP's dashboard reads of an order that it has, or had. */
export interface OwnOrderRow extends OfferRow {
  lp_id?: number | null | undefined;
  lp_receive_address?: string | null | undefined;
  collateral_locked?: string | null | undefined;
  user_crypto_tx_hash?: string | null | undefined;
  recipient: string;
  recipient_name?: string | null | undefined;
  method: string;
}

/** An order that an LP has, or had. Where the fiat goes is for the one that has it; so are the means of another. */
export function ownOrderView(row: OwnOrderRow, lp: { id: number; tier: number }, ownRate: string | null) {
  const owned = row.lp_id === lp.id && row.status !== 'matched';
  const ifOwned = <T>(value: T | null | undefined): T | null => (owned ? (value ?? null) : null);
  const locked = ifOwned(row.collateral_locked);
  return {
    ...offerView(row, lp.tier, ownRate),
    owned,
    timeout_at: row.timeout_at ? new Date(row.timeout_at).toISOString() : null,
    collateral_locked: locked === null ? null : Number(locked),
    lp_receive_address: ifOwned(row.lp_receive_address),
    user_crypto_tx_hash: ifOwned(row.user_crypto_tx_hash),
    recipient: ifOwned(row.recipient),
    recipient_name: ifOwned(row.recipient_name),
    method: ifOwned(row.method),
  };
}

import type { Chain } from './assets.ts';
import { collateralForOrder } from './collateral.ts';
import { basisPoints, type Decimal, decimal, SCALE } from './money.ts';
import type { OrderStatus } from './order-state.ts';
import { maskRecipient } from './order-view.ts';
import type { BoundRecipientCheck } from './recipient-check.ts';

/** Orders as LPs see them. The dashboard and the feed show the same fields. */

/** The columns of an order that its offer shows. Times may be strings: queries without the ORM return strings. */
export interface OfferRow {
  id: number;
  status: OrderStatus;
  amount_fiat: string;
  currency: string;
  amount_usd: string;
  /** The quoted LP's margin. The payer pays it to the LP that claims. */
  spread_bps: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  amount_crypto: string;
  method: string;
  institution?: string | null | undefined;
  /** Every LP sees it masked. */
  recipient: string;
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
  method: string;
  institution: string | null;
  recipient_masked: string;
  collateral_required: number;
  /** Null: the LP has no rate that says what the fiat costs it. */
  est_profit_usd: number | null;
  expires_at: string;
  created_at: string;
}

/** The order as it is offered to an LP of this tier. `ownRate`: the LP's own rate for the order's corridor, if one holds. */
export const offerView = (row: OfferRow, tier: number, ownRate: string | null): OfferView =>
  offersOf(row)(tier, ownRate);

/** The same for any number of LPs. Computes only once the fields that are the same for every LP. */
export function offersOf(row: OfferRow): (tier: number, ownRate: string | null) => OfferView {
  // A reoffered order can be claimed later than `expires_at`.
  const claimableUntil = (row.status === 'matched' && row.timeout_at) || row.expires_at;
  const collaterals = new Map<number, number>();
  const collateralOf = (tier: number): number => {
    const collateral = collaterals.get(tier) ?? Number(collateralForOrder(row.amount_usd, tier));
    collaterals.set(tier, collateral);
    return collateral;
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
    method: row.method,
    institution: row.institution ?? null,
    recipient_masked: maskRecipient(row.recipient),
    expires_at: new Date(claimableUntil).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
  };
  const profitAt = offeredProfit(row);
  return (tier, ownRate) => {
    const profit = ownRate === null ? null : profitAt(ownRate);
    return { ...forAll, collateral_required: collateralOf(tier), est_profit_usd: profit };
  };
}

/** The fields of an order that determine an LP's profit. */
export type OrderTerms = Pick<OfferRow, 'amount_fiat' | 'amount_usd' | 'spread_bps'>;

/**
 * The profit of an LP that claims the order, in USD. It is negative if the LP's own rate is worse than the quoted one by
 * more than the spread.
 *
 *     profit = amount_usd × (1 + spread_bps / 10⁴) − amount_fiat / the LP's own rate
 *
 * The first term is the value of the payer's crypto at the quote, less the fee that the LP owes Corridor. Without an own rate
 * nobody knows what the fiat costs the LP, so there is no profit. Offers show the profit rounded down to cents, so that no LP
 * is promised more than it gets.
 */
export const estimatedProfit = (
  { amount_usd, amount_fiat, spread_bps }: OrderTerms,
  ownRate: string,
): Decimal =>
  decimal(amount_usd)
    .plus(basisPoints(decimal(amount_usd), spread_bps))
    .minus(decimal(amount_fiat).div(ownRate));

/**
 * The estimated profit in USD at each own rate, rounded down to cents. The feed needs it for each order and LP, and whole
 * numbers take an eighth of the time of decimals. Null: the rate is zero, as one that follows a price below 5 × 10⁻⁹ becomes.
 */
export function offeredProfit({
  amount_usd,
  amount_fiat,
  spread_bps,
}: OrderTerms): (ownRate: string) => number | null {
  const value = inUnits(amount_usd, SCALE.usd) * BigInt(10_000 + spread_bps);
  const fiat = inUnits(amount_fiat, SCALE.fiat) * 10n ** 16n;
  return (ownRate) => {
    const rate = inUnits(ownRate, SCALE.rate);
    if (rate === 0n) return null;
    // In cents: (value / 10¹⁰ − fiat / 10¹⁸ / (rate / 10⁸)) × 10²
    return Number(floor(value * rate - fiat, rate * 10n ** 8n)) / 100;
  };
}

/** The columns of an order that the LP owns or has owned, as the LP's dashboard shows it. */
export interface OwnOrderRow extends OfferRow {
  lp_id?: number | null | undefined;
  lp_receive_address?: string | null | undefined;
  destination_tag?: number | null | undefined;
  collateral_locked?: string | null | undefined;
  claim_rate_usd?: string | null | undefined;
  user_crypto_tx_hash?: string | null | undefined;
  recipient_name?: string | null | undefined;
  recipient_details?: Record<string, string> | null | undefined;
  recipient_check?: BoundRecipientCheck | null | undefined;
}

/**
 * An order that an LP owns or has owned. Only the present owner sees the recipient, the payment details and the profit, which is
 * that of its rate at the claim.
 */
export function ownOrderView(row: OwnOrderRow, lp: { id: number; tier: number }) {
  const owned = row.lp_id === lp.id && row.status !== 'matched';
  const ifOwned = <T>(value: T | null | undefined): T | null => (owned ? (value ?? null) : null);
  const locked = ifOwned(row.collateral_locked);
  return {
    ...offerView(row, lp.tier, ifOwned(row.claim_rate_usd)),
    owned,
    timeout_at: row.timeout_at ? new Date(row.timeout_at).toISOString() : null,
    collateral_locked: locked === null ? null : Number(locked),
    lp_receive_address: ifOwned(row.lp_receive_address),
    destination_tag: ifOwned(row.destination_tag),
    user_crypto_tx_hash: ifOwned(row.user_crypto_tx_hash),
    recipient: ifOwned(row.recipient),
    recipient_name: ifOwned(row.recipient_name),
    recipient_details: ifOwned(row.recipient_details),
    recipient_check: ifOwned(row.recipient_check),
  };
}

/** A decimal string as a whole number of units of 10^-places. It has no exponent and no more decimal places than that. */
function inUnits(text: string, places: number): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}

/** The quotient, rounded towards −∞. */
const floor = (dividend: bigint, divisor: bigint): bigint =>
  dividend / divisor - (dividend < 0n && dividend % divisor !== 0n ? 1n : 0n);

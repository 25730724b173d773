import { collateralSlice } from './collateral.ts';
import { decimal, SCALE } from './money.ts';

/** What an offer is made from: an order's row, or the snapshot of the event that opened it. */
export interface OfferRow {
  id: number;
  status: string;
  amount_fiat: string | number;
  currency: string;
  amount_usd: string | number;
  crypto_symbol: string;
  crypto_chain: string;
  amount_crypto: string | number;
  fee_usd: string | number;
  timeout_at: string | Date | null;
  created_at: string | Date;
}

/** Whose eyes the offer is for. */
export interface OfferAudience {
  tier: number;
  /** The LP's own price of a dollar in the order's currency; null where it has none. */
  rateUsd: string | null;
}

/** An open order as LPs see it, in the feed, the stream and the dashboard alike. */
export interface OfferView {
  id: number;
  status: string;
  amount_fiat: number;
  currency: string;
  amount_usd: number;
  crypto_symbol: string;
  crypto_chain: string;
  amount_crypto: number;
  collateral_required: number;
  est_profit_usd: number;
  expires_at: string | null;
  created_at: string;
}

export function offerView(row: OfferRow, audience: OfferAudience): OfferView {
  return {
    id: row.id,
    status: row.status,
    amount_fiat: Number(row.amount_fiat),
    currency: row.currency,
    amount_usd: Number(row.amount_usd),
    crypto_symbol: row.crypto_symbol,
    crypto_chain: row.crypto_chain,
    amount_crypto: Number(row.amount_crypto),
    collateral_required: Number(collateralSlice(String(row.amount_usd), audience.tier)),
    est_profit_usd: Number(estimatedProfit(row, audience.rateUsd)),
    expires_at: row.timeout_at && new Date(row.timeout_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
  };
}

/** Crypto received, less the fee, less what the fiat costs this LP. To the cent; may be negative. */
function estimatedProfit(row: OfferRow, rateUsd: string | null): string {
  const cost = rateUsd === null ? decimal(row.amount_usd) : decimal(row.amount_fiat).div(rateUsd);
  return decimal(row.amount_crypto).minus(row.fee_usd).minus(cost).toFixed(SCALE.cents);
}

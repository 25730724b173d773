import { basisPoints, decimal, roundUp, SCALE, toPlain } from './money.ts';

export interface QuoteInput {
  /** Fiat to deliver, decimal string. */
  amountFiat: string;
  /** Units of the local currency per 1 USD, as the LP published it. */
  rateUsd: string;
  /** The LP's margin, basis points of the USD value. */
  spreadBps: number;
  /** Corridor's fee, basis points of the USD value. */
  feeBps: number;
  /** USD per 1 unit of the token. */
  cryptoUsd: string;
  /** Decimal places of the token's amounts. */
  cryptoDecimals: number;
}

/** Decimal strings, as in the order row. */
export interface Quote {
  amount_usd: string;
  fee_usd: string;
  amount_crypto: string;
}

/**
 * Computes what the payer owes for a fiat payout.
 *
 *     amount_usd    = amount_fiat / rate_usd                              rounded up to 10⁻⁶ USD
 *     fee_usd       = amount_usd × fee_bps / 10⁴                          rounded up to cents
 *     amount_crypto = (amount_usd × (1 + spread_bps / 10⁴) + fee_usd) / crypto_usd   rounded up to the token's precision
 *
 * Every rounding goes up: the LP advances the fiat and must not lose a fraction.
 */
export function quote(input: QuoteInput): Quote {
  const amountUsd = roundUp(decimal(input.amountFiat).div(decimal(input.rateUsd)), SCALE.usd);
  const feeUsd = roundUp(basisPoints(amountUsd, input.feeBps), SCALE.cents);
  const owedUsd = amountUsd.plus(basisPoints(amountUsd, input.spreadBps)).plus(feeUsd);
  const amountCrypto = roundUp(owedUsd.div(decimal(input.cryptoUsd)), input.cryptoDecimals);
  return {
    amount_usd: toPlain(amountUsd, SCALE.usd),
    fee_usd: toPlain(feeUsd, SCALE.cents),
    amount_crypto: toPlain(amountCrypto, input.cryptoDecimals),
  };
}

/** The rate of a payment as text for people. */
export const rateLabel = (rateUsd: string, currency: string): string =>
  `1 USD = ${decimal(rateUsd).toFixed()} ${currency}`;

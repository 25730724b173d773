import { basisPoints, decimal, roundUp, SCALE, toPlain } from './money.ts';

export interface QuoteInput {
  /** Fiat to be delivered, decimal string. */
  amountFiat: string;
  /** Units of the local currency per 1 USD, as the LP published it. */
  rateUsd: string;
  /** The LP's margin, basis points of the USD value. */
  spreadBps: number;
  /** Corridor's fee, basis points of the USD value. */
  feeBps: number;
  /** USD per 1 unit of the token. */
  cryptoUsd: string;
  /** Digits after the point that the token's amounts have. */
  cryptoDecimals: number;
}

/** Amounts as decimal strings, as the order row keeps them. */
export interface Quote {
  amount_usd: string;
  fee_usd: string;
  amount_crypto: string;
}

/**
 * What the payer owes for a fiat payout.
 *
 *     amount_usd    = amount_fiat / rate_usd                              up to a millionth of a dollar
 *     fee_usd       = amount_usd × fee_bps / 10⁴                          up to a cent
 *     amount_crypto = (amount_usd × (1 + spread_bps / 10⁴) + fee_usd) / crypto_usd   up to the token's precision
 *
 * Every rounding goes up: the LP advances the fiat and must not be left short by a fraction.
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

/** The human-readable rate of a payment. */
export const rateLabel = (rateUsd: string, currency: string): string =>
  `1 USD = ${decimal(rateUsd).toFixed()} ${currency}`;

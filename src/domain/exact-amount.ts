import { decimal, roundUp, SCALE, toPlain } from './money.ts';

/** The purposes of exact amounts. Amounts are unique per purpose, because the payments go to different addresses. */
export const AMOUNT_PURPOSES = ['order', 'deposit'] as const;
export type AmountPurpose = (typeof AMOUNT_PURPOSES)[number];

/**
 * The amounts that a payment may ask for: its price, plus a suffix that is worth less than a cent. Each live order and
 * each announced deposit has its own amount, so the amount identifies what a transfer pays.
 */
export interface AmountRange {
  /** The price itself, decimal string. */
  lowest: string;
  /** One unit at the last decimal place that the amounts have, decimal string. */
  step: string;
  /** How many amounts there are, one `step` apart. */
  count: number;
}

/** A suffix is worth less than this. */
const SUFFIX_USD = '0.01';
/** A step is worth at most this if the token is divisible enough, so a price has at least 10,000 amounts. */
const STEP_USD = '0.000001';
/** A cent is millions of units of a nearly worthless token. More amounts than these would only slow the draw down. */
const MOST_AMOUNTS = 100_000;
/** The digits of an amount that a JSON number and an issued currency of the XRP Ledger hold exactly. */
const EXACT_DIGITS = 15;

/**
 * The decimal places in which payers owe a token: the fewest with which a unit is worth a millionth of a dollar or less,
 * and at most the token's own. That is 6 for a dollar token, and 10 for one that is worth 3,000 USD.
 */
export function amountPlaces(cryptoUsd: string, tokenDecimals: number): number {
  const most = Math.min(tokenDecimals, SCALE.crypto);
  const step = decimal(STEP_USD).div(cryptoUsd);
  for (let places = 0; places < most; places++) if (unit(places).lte(step)) return places;
  return most;
}

/** The amounts for a price that has been rounded up to these places. */
export function amountRange(price: string, cryptoUsd: string, places: number): AmountRange {
  const step = unit(places);
  const count = roundUp(decimal(SUFFIX_USD).div(step.mul(cryptoUsd)), 0);
  return {
    lowest: price,
    step: toPlain(step, places),
    count: count.gt(MOST_AMOUNTS) ? MOST_AMOUNTS : count.toNumber(),
  };
}

/** The largest price with these places whose amounts are exact everywhere, decimal string. */
export const largestPrice = (places: number): string =>
  toPlain(unit(places - EXACT_DIGITS).minus(unit(places).mul(MOST_AMOUNTS)), places);

const unit = (places: number) => decimal(10).pow(-places);

import { Decimal as BaseDecimal } from 'decimal.js';

/**
 * Exact decimal arithmetic. 60 significant digits hold every product of the amounts that the database accepts;
 * only a division can be inexact, and each is rounded up at once by the rule that asked for it.
 */
const Decimal = BaseDecimal.clone({
  precision: 60,
  rounding: BaseDecimal.ROUND_HALF_EVEN,
  toExpNeg: -40,
  toExpPos: 60,
});
export type Decimal = BaseDecimal;

/** A decimal from a decimal string, or from a JSON number at the HTTP edge (its shortest exact form). */
export const decimal = (value: string | number | Decimal): Decimal => new Decimal(value);

/** Digits after the point of the amounts that Corridor keeps; the database columns declare the same. */
export const SCALE = { fiat: 2, usd: 6, cents: 2, crypto: 6, rate: 8 } as const;

/** Rounds towards +∞, so that no party that is owed an amount gets a fraction less. */
export const roundUp = (value: Decimal, places: number): Decimal =>
  value.toDecimalPlaces(places, BaseDecimal.ROUND_CEIL);

/** Rounds towards −∞: for what is promised and not owed. */
export const roundDown = (value: Decimal, places: number): Decimal =>
  value.toDecimalPlaces(places, BaseDecimal.ROUND_FLOOR);

/** A plain decimal string, never in exponent form: how amounts travel in SQL, JSON columns and Temporal. */
export const toPlain = (value: Decimal, places: number): string => value.toFixed(places);

/** How many digits a JSON number has after the point, 1e-7 counted as 7. */
export const decimalPlaces = (value: number): number => decimal(value).decimalPlaces();

const BASIS_POINT = decimal('0.0001');

/** `bps` ten-thousandths of an amount, exactly. */
export const basisPoints = (amount: Decimal, bps: number): Decimal => amount.mul(bps).mul(BASIS_POINT);

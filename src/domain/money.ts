import { Decimal as BaseDecimal } from 'decimal.js';

/**
 * Exact decimal arithmetic. 60 significant digits hold every product of the amounts that the database accepts;
 * only a division can be inexact, and each caller rounds its division up immediately.
 */
const Decimal = BaseDecimal.clone({
  precision: 60,
  rounding: BaseDecimal.ROUND_HALF_EVEN,
  toExpNeg: -40,
  toExpPos: 60,
});
export type Decimal = BaseDecimal;

/** A decimal from a decimal string, or from a JSON number (its shortest exact form). */
export const decimal = (value: string | number | Decimal): Decimal => new Decimal(value);

/** Decimal places of stored amounts. The database columns declare the same. */
export const SCALE = { fiat: 2, usd: 6, cents: 2, crypto: 12, rate: 8 } as const;

/** Rounds towards +∞, so that a party never gets less than it is owed. */
export const roundUp = (value: Decimal, places: number): Decimal =>
  value.toDecimalPlaces(places, BaseDecimal.ROUND_CEIL);

/** Rounds towards −∞, for estimates that must not promise too much. */
export const roundDown = (value: Decimal, places: number): Decimal =>
  value.toDecimalPlaces(places, BaseDecimal.ROUND_FLOOR);

/** Returns a decimal string, never in exponent form: the form of amounts in SQL, JSON columns and Temporal. */
export const toPlain = (value: Decimal, places: number): string => value.toFixed(places);

/** The decimal places of a JSON number; 1e-7 has 7. */
export const decimalPlaces = (value: number): number => decimal(value).decimalPlaces();

const BASIS_POINT = decimal('0.0001');

/** Returns `bps` ten-thousandths of an amount, exactly. */
export const basisPoints = (amount: Decimal, bps: number): Decimal => amount.mul(bps).mul(BASIS_POINT);

import { z } from 'zod';
import { CHAINS } from '../domain/assets.ts';
import { decimal, decimalPlaces, SCALE } from '../domain/money.ts';

/** Field kinds that several resources share. Amounts come in as JSON numbers and leave as decimal strings. */

/**
 * One line of visible text. No control characters, line breaks or marks that reorder what a reader sees; the two
 * joiners (U+200C, U+200D) are part of names in some scripts.
 */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    // Not as patterns of the document: few tools know these classes.
    .refine(
      (text) => /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u200c\u200d])*$/u.test(text),
      'must not contain control characters',
    )
    .refine((text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text), 'must contain something visible');

/** A JSON number above zero as an exact decimal string with at most `places` digits after the point. */
export const amount = ({ places, max }: { places: number; max: number }) =>
  exact(z.number().positive().max(max), places);

const exact = (number: z.ZodNumber, places: number) =>
  number
    .refine((n) => decimalPlaces(n) <= places, `must have at most ${places} digits after the point`)
    .transform((n) => decimal(n).toFixed());

export const fiatAmount = amount({ places: SCALE.fiat, max: 1_000_000_000_000 });
export const usdAmount = amount({ places: SCALE.usd, max: 1_000_000_000 });
/** What may be nothing, in USD to the cent. */
export const centsOrZero = exact(z.number().nonnegative().max(1_000_000_000), SCALE.cents);
export const rateUsd = amount({ places: SCALE.rate, max: 1_000_000_000 });

/** ISO 4217, in any case. */
export const currency = z
  .string()
  .trim()
  .regex(/^[A-Za-z]{3}$/, 'must be a currency code of three letters')
  .toUpperCase();

/** A token's symbol, in any case. Whether it is known is for the quote to say. */
export const symbol = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{2,16}$/, 'must be a token symbol such as usdt')
  .toLowerCase();

export const chain = z.string().trim().toLowerCase().pipe(z.enum(CHAINS));

/** An address on some chain. Each chain's own form is for its verifier to check. */
export const address = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be an address: 1 to 128 printable characters without spaces');

export const txHash = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{4,128}$/, 'must be a transaction hash');

export const spreadBps = z.number().int().min(0).max(10_000);

/** A time that a caller names, as a Date. */
export const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time such as 2026-11-21T15:00:00Z, or a date',
  })
  .transform((text) => new Date(text))
  // Years that the database can write as well.
  .pipe(z.date().min(new Date('1970-01-01')).max(new Date('9999-01-01')));

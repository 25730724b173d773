import { z } from 'zod';
import { CHAINS, STABLECOINS } from '../../domain/assets.ts';
import { decimal, decimalPlaces, SCALE } from '../../domain/money.ts';
import { hasNoControls, hasSomethingVisible } from '../../domain/visible-line.ts';

/**
 * Request fields that several resources share. They read amounts as JSON numbers and output decimal strings. Each
 * description states the field's form. A resource adds the meaning with `describeField`.
 */

/** Puts the meaning of a field before the description of its form. */
export const describeField = <Field extends z.ZodType>(field: Field, meaning: string): Field =>
  field.describe([meaning, field.description].filter(Boolean).join(' '));

/** The body of a route that refuses unknown fields, for where one could be a misspelt limit. Other routes ignore them. */
export const refusingUnknown = <Shape extends z.core.$ZodLooseShape>(body: z.ZodObject<Shape>) =>
  body.strict().meta(body.meta() ?? {});

/** The allowed values as descriptions list them. */
export const listValues = (values: readonly string[]): string =>
  `One of ${values.map((value) => `\`${value}\``).join(', ')}.`;

const grouped = (n: number): string => n.toLocaleString('en-US');

/** The highest amount of USD in a request. */
export const MAX_USD = 1_000_000_000;

/** One line of visible text: see `src/domain/visible-line.ts`. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    // `refine` keeps these patterns out of the OpenAPI document: few tools support Unicode classes.
    .refine(hasNoControls, 'must not contain control characters')
    .refine(hasSomethingVisible, 'must contain something visible')
    .describe(`One line of 1 to ${grouped(max)} characters.`);

/** Reads a positive JSON number as an exact decimal string with at most `places` decimal places. */
export const amount = ({ places, max }: { places: number; max: number }) =>
  exact(z.number().positive().max(max), places).describe(
    `Greater than 0 and at most ${grouped(max)}, with at most ${places} digits after the point.`,
  );

const exact = (number: z.ZodNumber, places: number) =>
  number
    .refine((n) => decimalPlaces(n) <= places, `must have at most ${places} digits after the point`)
    .transform((n) => decimal(n).toFixed());

/** The highest amount of fiat in a request. */
const MAX_FIAT = 1_000_000_000_000;
const IN_UNITS = 'In units of `currency`, not in cents.';

export const fiatAmount = describeField(amount({ places: SCALE.fiat, max: MAX_FIAT }), IN_UNITS);
export const fiatOrZero = exact(z.number().nonnegative().max(MAX_FIAT), SCALE.fiat).describe(
  `${IN_UNITS} From 0 to ${grouped(MAX_FIAT)}, with at most ${SCALE.fiat} digits after the point.`,
);
export const usdAmount = describeField(amount({ places: SCALE.usd, max: MAX_USD }), 'In USD.');
/** USD to the cent; may be zero. */
export const centsOrZero = exact(z.number().nonnegative().max(MAX_USD), SCALE.cents).describe(
  `In USD, from 0 to ${grouped(MAX_USD)}, with at most ${SCALE.cents} digits after the point.`,
);
export const rateUsd = describeField(
  amount({ places: SCALE.rate, max: 1_000_000_000 }),
  'Units of the currency per 1 USD.',
);
/** USD in a range that may include negative amounts. */
export const usdBetween = (min: number, max: number) =>
  exact(z.number().min(min).max(max), SCALE.usd).describe(
    `In USD, from ${grouped(min)} to ${grouped(max)}, with at most ${SCALE.usd} digits after the point.`,
  );

/** An ISO 4217 code in upper or lower case. */
export const currency = z
  .string()
  .trim()
  .regex(/^[A-Za-z]{3}$/, 'must be a currency code of three letters')
  .toUpperCase()
  .describe('An ISO 4217 currency code such as `KES`: three letters in upper or lower case.');

/** A filter by currencies in a query string. */
export const currencyList = z
  .string()
  .transform((text) => text.split(',').filter(Boolean))
  .pipe(z.array(currency))
  .describe(
    'Only orders with these fiat currencies: ISO 4217 codes separated by commas, such as `KES,NGN`. Default: all currencies.',
  );

/** A token's symbol in upper or lower case. The quote checks whether Corridor knows the token. */
export const symbol = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{2,16}$/, 'must be a token symbol such as usdt')
  .toLowerCase()
  .describe('A token symbol such as `usdt`: 2 to 16 letters and digits in upper or lower case.');

/** A token in which Corridor keeps collateral. */
export const stablecoin = symbol.pipe(z.enum(STABLECOINS)).describe(listValues(STABLECOINS));

export const chain = z.string().trim().toLowerCase().pipe(z.enum(CHAINS)).describe(listValues(CHAINS));

/** An address on some chain. The chain's verifier checks its form. */
export const address = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be an address: 1 to 128 printable characters without spaces')
  .describe('1 to 128 printable ASCII characters without spaces.');

export const destinationTag = z
  .number()
  .int()
  .min(0)
  .max(2 ** 32 - 1)
  .describe('A whole number from 0 to 4,294,967,295.');

export const txHash = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{4,128}$/, 'must be a transaction hash')
  .describe('A transaction hash: 4 to 128 letters, digits, hyphens and underscores.');

export const spreadBps = z
  .number()
  .int()
  .min(0)
  .max(10_000)
  .describe('In basis points (hundredths of a percent): a whole number from 0 to 10,000.');

/** Reads a time as a Date. */
export const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time such as 2026-11-21T15:00:00Z, or a date',
  })
  .transform((text) => new Date(text))
  // The range of years that the database can store.
  .pipe(z.date().min(new Date('1970-01-01')).max(new Date('9999-01-01')))
  .describe(
    'An ISO 8601 time with an offset, such as `2026-11-21T15:00:00Z`, or a date, which means its midnight in UTC; from 1970 to 9998.',
  );

import { z } from 'zod';
import { chainName, time } from './response-fields.ts';

const method = z
  .string()
  .describe('The method of the currency’s corridor; `*`: any method, in a currency without corridors.');

/** An LP's terms for other readers. */
export const publishedRate = z.strictObject({
  currency: z.string(),
  method,
  rate_usd: z.number().positive(),
});
export const publishedAsset = z.strictObject({ symbol: z.string(), chain: chainName });

/** Only the LP itself sees it. */
export const notQuoted = z
  .string()
  .nullable()
  .describe(
    'Why payments do not use this rate now, or use it only for some orders; null if nothing about the rate prevents it.',
  );

/** The LP's terms for a corridor, for the LP and admins. */
export const publishedTerms = z.strictObject({
  currency: z.string(),
  method,
  rate_usd: z
    .number()
    .positive()
    .nullable()
    .describe(
      'Units of the currency per 1 USD; null: the rate is an offset, and the price source has no price now.',
    ),
  offset_bps: z
    .number()
    .int()
    .nullable()
    .describe('Basis points above the price source’s price; null: a fixed rate.'),
  valid_until: time.describe('After this the rate is neither quoted nor used for automatic claims.'),
  min: z.number().nonnegative().describe('The smallest order, in the currency.'),
  max: z.number().nonnegative().nullable().describe('The largest order, in the currency; null: any.'),
  float: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Fiat that the LP can send for new orders, in the currency; null: Corridor does not count it.'),
  float_reserved: z
    .number()
    .nonnegative()
    .describe('Fiat reserved for the LP’s claimed orders, in the currency.'),
  float_low: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Below this float the LP gets the webhook `lp.float_low`; null: never.'),
  quoting: z.boolean().describe('Whether the LP wants orders of this corridor now.'),
  updated_at: time.describe('When the LP last changed the terms.'),
});

/** The LP's own view of its terms. */
export const explainedTerms = publishedTerms.extend({ not_quoted: notQuoted });

/** The lists of the dashboard and the balance have at most this many rows. Contract: "Dashboard lists". */
export const LIST_LIMIT = 20;

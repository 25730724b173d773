import { z } from 'zod';
import { chainName } from './response-fields.ts';

/** An LP's terms as others read them. */
export const publishedRate = z.strictObject({ currency: z.string(), rate_usd: z.number().positive() });
export const publishedAsset = z.strictObject({ symbol: z.string(), chain: chainName });

/** Shown to the LP itself. */
export const notQuoted = z
  .string()
  .nullable()
  .describe('Why payments do not use this rate now; null if nothing about the rate prevents it.');

/** The lists of the dashboard and the balance have at most this many rows. Contract: "Dashboard lists". */
export const LIST_LIMIT = 20;

import { z } from 'zod';
import { chainName } from './response-fields.ts';

/** An LP's terms as others read them. */
export const publishedRate = z.strictObject({ currency: z.string(), rate_usd: z.number().positive() });
export const publishedAsset = z.strictObject({ symbol: z.string(), chain: chainName });

/** The lists of the dashboard and the balance have at most this many rows. Contract: "Dashboard lists". */
export const LIST_LIMIT = 20;

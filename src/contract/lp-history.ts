import { z } from 'zod';
import { money } from './answers.ts';

/** `GET /api/lp/{lp_key}/history`, query. */
export const historyQuery = z.object({
  days: z.coerce.number().int().min(1).max(90).default(30).describe('How many, today’s included.'),
});

export const historyResponse = z.strictObject({
  days: z
    .array(
      z.strictObject({
        date: z.iso.date().describe('A day in UTC.'),
        completed: z.number().int().nonnegative().describe('Orders that were completed on it.'),
        volume_usd: money,
        earned_usd: z
          .number()
          .describe('The sum of what `est_profit_usd` says, by the LP’s present rates. May be negative.'),
        fees_usd: money,
        median_fiat_seconds: z.number().int().nonnegative().nullable().describe('From claim to fiat sent.'),
      }),
    )
    .describe('Oldest first, without a gap.'),
});

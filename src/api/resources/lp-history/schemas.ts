import { z } from 'zod';
import { usdMoney } from '../../schemas/response-fields.ts';

/** `GET /api/lp/{lp_key}/history`, query. */
export const historyQuery = z.object({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(90)
    .default(30)
    .describe('Number of days in UTC up to and including today, from 1 to 90. Default: 30.'),
});

export const historyResponse = z.strictObject({
  days: z
    .array(
      z.strictObject({
        date: z.iso.date().describe('A day in UTC.'),
        completed: z.number().int().nonnegative().describe('Orders completed on that day.'),
        volume_usd: usdMoney,
        earned_usd: z
          .number()
          .describe(
            'What the LP earned from these orders, by its own rates when it claimed them, without those in `profit_unknown`. May be negative.',
          ),
        profit_unknown: z
          .number()
          .int()
          .nonnegative()
          .describe('Orders that the LP claimed while it had no rate for them: their profit is not known.'),
        fees_usd: usdMoney,
        median_fiat_seconds: z
          .number()
          .int()
          .nonnegative()
          .nullable()
          .describe('Median seconds from the claim to the fiat.'),
      }),
    )
    .describe('Oldest first, without a gap.'),
});

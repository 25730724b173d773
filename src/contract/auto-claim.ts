import { z } from 'zod';
import { decimal, decimalPlaces, SCALE } from '../domain/money.ts';
import { money } from './answers.ts';
import { currency, usdAmount } from './fields.ts';

/** Below zero: what an LP will lose to have an order. */
const profit = z
  .number()
  .min(-1_000_000_000)
  .max(1_000_000_000)
  .refine((n) => decimalPlaces(n) <= SCALE.usd, `must have at most ${SCALE.usd} digits after the point`)
  .transform((n) => decimal(n).toFixed());

/** Contract: "Auto-claim configuration". It replaces the one before as a whole; null is as good as left out. */
export const autoClaimRequest = z.object({
  enabled: z.boolean(),
  max_amount_usd: usdAmount.nullable().default(null).describe('Highest USD value of an order.'),
  currencies: z
    .array(currency)
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe('Without it, the currencies that the LP publishes a rate for.'),
  min_profit_usd: profit.default('0').describe('Lowest `est_profit_usd` of an order. May be negative.'),
});

/** The configuration as the dashboard shows it. */
export const autoClaimState = z.strictObject({
  enabled: z.boolean(),
  max_amount_usd: money.nullable(),
  currencies: z.array(z.string()).nullable(),
  min_profit_usd: z.number(),
});

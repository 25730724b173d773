import { z } from 'zod';
import { currency, describeField, MAX_USD, usdAmount, usdBetween } from '../../schemas/request-fields.ts';
import { usdMoney } from '../../schemas/response-fields.ts';

const profit = describeField(
  usdBetween(-MAX_USD, MAX_USD),
  'Lowest `est_profit_usd` of an order. A negative value accepts orders at a loss. Default: 0.',
);
const maxAmount = describeField(usdAmount, 'Highest USD value of an order. Default: `null`, no limit.');

/** Contract: "Auto-claim configuration". Replaces the whole configuration; null means the same as a missing field. */
export const autoClaimRequest = z
  .object({
    enabled: z.boolean().describe('`true` lets Corridor claim orders for this LP; `false` stops it.'),
    max_amount_usd: maxAmount
      .nullable()
      .default(null)
      .describe(maxAmount.description ?? ''),
    currencies: z
      .array(currency)
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe(
        'ISO 4217 codes of the currencies to claim, 1 to 200 of them. Corridor claims only orders that the LP’s terms take and for which its rate has not expired. Default: `null`, all currencies of the LP’s terms.',
      ),
    min_profit_usd: profit.prefault(0),
  })
  .meta({ examples: [{ enabled: true, max_amount_usd: 100, currencies: ['KES'] }] });

/** The configuration as the dashboard shows it. */
export const autoClaimState = z.strictObject({
  enabled: z.boolean(),
  max_amount_usd: usdMoney.nullable(),
  currencies: z.array(z.string()).nullable(),
  min_profit_usd: z.number(),
});

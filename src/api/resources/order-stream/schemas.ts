import { z } from 'zod';
import { offer } from '../../schemas/offers.ts';
import { currencyList, describeField, instant } from '../../schemas/request-fields.ts';

/** Contract: "orders/stream", query. */
export const streamQuery = z.object({
  currencies: currencyList.optional(),
  since: describeField(
    instant,
    'Only orders that opened at this time or later. Ignored with a `cursor`. Default: a minute ago.',
  ).optional(),
  cursor: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The `cursor` of the previous response, at most 64 characters. It takes precedence over `since`.',
    ),
});

export const streamResponse = z.strictObject({
  orders: z.array(offer),
  count: z.number().int().nonnegative(),
  poll_again_ms: z.number().int().positive(),
  cursor: z.string().describe('Pass it in the next call, so that no order is missed or repeated.'),
});

import { z } from 'zod';
import { currency, instant } from './fields.ts';
import { offer } from './offers.ts';

/** Contract: "orders/stream", query. */
export const streamQuery = z.object({
  currencies: z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(currency))
    .optional(),
  since: instant.optional(),
  cursor: z.string().max(64).optional(),
});

export const streamResponse = z.strictObject({
  orders: z.array(offer),
  count: z.number().int().nonnegative(),
  poll_again_ms: z.number().int().positive(),
  cursor: z.string().describe('Pass it in the next call: then no order is missed and none comes twice.'),
});

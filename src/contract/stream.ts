import { z } from 'zod';
import { chainName, id, money, orderStatus, time } from './answers.ts';
import { currency } from './fields.ts';

/** An open order as LPs see it. */
export const offer = z.strictObject({
  id,
  status: orderStatus,
  amount_fiat: money,
  currency: z.string(),
  amount_usd: money,
  crypto_symbol: z.string(),
  crypto_chain: chainName,
  amount_crypto: money,
  collateral_required: money.describe('USD that a claim would lock.'),
  est_profit_usd: z.number().describe('Crypto received, less the fee, less the fiat at the LP’s own rate.'),
  expires_at: time.nullable(),
  created_at: time,
});
export type Offer = z.output<typeof offer>;

/** Contract: "orders/stream", query. */
export const streamQuery = z.object({
  currencies: z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(currency))
    .optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  cursor: z.string().max(64).optional(),
});

export const streamResponse = z.strictObject({
  orders: z.array(offer),
  count: z.number().int().nonnegative(),
  poll_again_ms: z.number().int().positive(),
  cursor: z.string().describe('Pass it in the next call: then no order is missed and none comes twice.'),
});

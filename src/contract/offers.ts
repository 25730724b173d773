import { z } from 'zod';
import { chainName, id, money, orderStatus, time } from './answers.ts';

/** An order as LPs see it: `src/domain/offer-view.ts`. */
export const offer = z.strictObject({
  id,
  status: orderStatus,
  amount_fiat: money,
  currency: z.string(),
  amount_usd: money,
  crypto_symbol: z.string(),
  crypto_chain: chainName,
  amount_crypto: money,
  collateral_required: money.describe('USD that a claim by this LP locks.'),
  est_profit_usd: z
    .number()
    .describe(
      'What this LP earns by the order, by its own rate where it has one; rounded down to the cent. May be negative.',
    ),
  expires_at: time.describe('Until when it can be claimed.'),
  created_at: time,
});

/** An order that the LP has or had. What is null for one that it does not have any more is for its new LP alone. */
export const ownOrder = offer.extend({
  owned: z.boolean().describe('Whether the order is this LP’s now.'),
  timeout_at: time.nullable().describe('Deadline of the current stage.'),
  collateral_locked: money.nullable(),
  lp_receive_address: z.string().nullable(),
  user_crypto_tx_hash: z.string().nullable(),
  recipient: z.string().nullable().describe('Where the fiat goes.'),
  recipient_name: z.string().nullable(),
  method: z.string().nullable(),
});

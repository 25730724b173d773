import { z } from 'zod';
import {
  boundRecipientCheck,
  chainName,
  cryptoMoney,
  destinationTag,
  fiatMoney,
  id,
  money,
  orderStatus,
  time,
  usdMoney,
} from './response-fields.ts';

/** How an order's fiat is delivered, for those who need not know the recipient. */
export const delivery = {
  method: z
    .string()
    .describe('How the LP delivers the fiat: a method of the currency in `GET /api/v1/corridors`.'),
  institution: z
    .string()
    .nullable()
    .describe('The code of the mobile network or bank, if the agent named one.'),
  recipient_masked: z.string().describe('The ends of the recipient. Only the owner sees all of it.'),
};

/** The LPs' view of an order; see `src/domain/offer-view.ts`. */
export const offer = z.strictObject({
  id,
  status: orderStatus,
  amount_fiat: fiatMoney,
  currency: z.string(),
  amount_usd: usdMoney,
  crypto_symbol: z.string(),
  crypto_chain: chainName,
  amount_crypto: cryptoMoney,
  ...delivery,
  collateral_required: money.describe('USD of collateral that a claim by this LP locks.'),
  est_profit_usd: z
    .number()
    .nullable()
    .describe(
      'The LP’s profit from the order, by its own rate for the corridor; rounded down to the cent. May be negative. Null: the LP has no rate there that holds now, so its cost is not known. Do not claim such an order unless you know the price.',
    ),
  expires_at: time.describe('When the order can no longer be claimed.'),
  created_at: time,
});

/** An order that the LP owns or owned. The nullable fields are null after the LP has lost the order to another LP. */
export const ownOrder = offer.extend({
  est_profit_usd: offer.shape.est_profit_usd.describe(
    'The LP’s profit from the order, by its own rate for the corridor when it claimed the order; rounded down to the cent. May be negative. Null: it had no rate there that held, or it no longer has the order.',
  ),
  owned: z.boolean().describe('Whether this LP owns the order now.'),
  timeout_at: time.nullable().describe('Deadline of the current stage.'),
  collateral_locked: usdMoney.nullable(),
  lp_receive_address: z.string().nullable(),
  destination_tag: destinationTag.nullable(),
  user_crypto_tx_hash: z.string().nullable(),
  recipient: z.string().nullable().describe('The recipient of the fiat.'),
  recipient_name: z.string().nullable(),
  recipient_details: z
    .record(z.string(), z.string())
    .nullable()
    .describe('The fields of the recipient, by name; null for a currency without a corridor.'),
  recipient_check: boundRecipientCheck
    .nullable()
    .describe('The check of the recipient that the payment named, or null.'),
});

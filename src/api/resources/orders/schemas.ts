import { z } from 'zod';
import {
  chainName,
  cryptoMoney,
  destinationTag,
  fiatMoney,
  id,
  money,
  orderStatus,
  time,
  usdMoney,
} from '../../schemas/response-fields.ts';

export const claimResponse = z.strictObject({
  status: z.literal('claimed'),
  lp_receive_address: z.string(),
  destination_tag: destinationTag.optional(),
  collateral_locked: money.describe('USD reserved from the LP’s collateral.'),
});

export type ClaimResponse = z.output<typeof claimResponse>;

/** The order's status: `fiat_sent`, or a later one when the call is repeated. */
export const fiatSentResponse = z.strictObject({ status: orderStatus });

/** Contract: "Order row". The optional fields are for the order's parties only. */
export const orderResponse = z.strictObject({
  id,
  user_id: id.optional(),
  lp_id: id.nullable(),
  type: z.string(),
  amount_fiat: fiatMoney,
  currency: z.string(),
  amount_usd: usdMoney,
  amount_crypto: cryptoMoney,
  crypto_symbol: z.string(),
  crypto_chain: chainName,
  lp_receive_address: z.string().nullable(),
  destination_tag: destinationTag.optional(),
  user_crypto_tx_hash: z.string().nullable(),
  spread_bps: z.number().int(),
  fee_usd: usdMoney,
  status: orderStatus,
  timeout_at: time.nullable().describe('Deadline of the current stage.'),
  created_at: time,
  completed_at: time.nullable(),
  cancelled_at: time.nullable(),
  callback_url: z.string().nullable().optional(),
  callback_host: z
    .string()
    .nullable()
    .optional()
    .describe('Host of `callback_url`. Only the LP that claimed the order sees it.'),
  receipt_url: z.string().nullable().optional(),
});
export type OrderResponse = z.output<typeof orderResponse>;

export const releaseResponse = z.strictObject({
  status: orderStatus.describe('`matched`: the order is offered to other LPs. `cancelled`: it has ended.'),
});

import { z } from 'zod';
import { chainName, id, money, orderStatus, time } from './answers.ts';

export const claimResponse = z.strictObject({
  status: z.literal('claimed'),
  lp_receive_address: z.string(),
  collateral_locked: money.describe('USD reserved from the LP’s collateral.'),
});

export type ClaimResponse = z.output<typeof claimResponse>;

/** The order's status, which is `fiat_sent` or, where that is long past, a later one. */
export const fiatSentResponse = z.strictObject({ status: orderStatus });

/** Contract: "Order row". What only the order's parties see is absent for others. */
export const orderResponse = z.strictObject({
  id,
  user_id: id.optional(),
  lp_id: id.nullable(),
  type: z.string(),
  amount_fiat: money,
  currency: z.string(),
  amount_usd: money,
  amount_crypto: money,
  crypto_symbol: z.string(),
  crypto_chain: chainName,
  lp_receive_address: z.string().nullable(),
  user_crypto_tx_hash: z.string().nullable(),
  spread_bps: z.number().int(),
  fee_usd: money,
  status: orderStatus,
  timeout_at: time.nullable().describe('Deadline of the current stage.'),
  created_at: time,
  completed_at: time.nullable(),
  cancelled_at: time.nullable(),
  callback_url: z.string().nullable().optional(),
  receipt_url: z.string().nullable().optional(),
});
export type OrderResponse = z.output<typeof orderResponse>;

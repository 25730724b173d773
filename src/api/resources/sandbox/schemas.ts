import { z } from 'zod';
import { ORDER_STATUSES, STAGES } from '../../../domain/order-state.ts';
import {
  address,
  amount,
  chain,
  describeField,
  destinationTag,
  listValues,
  symbol,
} from '../../schemas/request-fields.ts';
import { id, orderStatus, time } from '../../schemas/response-fields.ts';

/** `POST /sandbox/transactions`: puts a transaction on a simulated chain. */
export const sandboxTransactionRequest = z
  .object({
    chain: describeField(chain, 'The simulated chain.'),
    symbol: describeField(symbol, 'The token that the transaction moves.'),
    to: describeField(
      address,
      'The address that receives the token, such as an order’s `lp_receive_address`.',
    ),
    destination_tag: describeField(
      destinationTag,
      'The destination tag of the payment, on `xrpl` only. Default: none.',
    ).optional(),
    amount: describeField(
      amount({ places: 18, max: 1_000_000_000 }),
      'The amount that the transaction moves, in units of the token.',
    ),
    final_after_ms: z
      .number()
      .int()
      .min(0)
      .max(86_400_000)
      .default(0)
      .describe(
        'Milliseconds until the transaction is final: a whole number from 0 to 86,400,000 (one day). Default: 0.',
      ),
  })
  .meta({ examples: [{ chain: 'trx', symbol: 'usdt', to: 'TMyReceiveAddress', amount: 50.25 }] });

export const sandboxTransactionResponse = z.strictObject({ tx_hash: z.string() });

/** `POST /sandbox/orders/:orderId/advance`: expires an order's deadline now. */
export const expireNowRequest = z.object({
  status: orderStatus
    .optional()
    .describe(
      `Expires the deadline only while the order is in this status, so that a repeated call does not expire a later one. ${listValues(ORDER_STATUSES)} Default: any status.`,
    ),
});

export const expireNowResponse = z.strictObject({
  order_id: id,
  deadline: z.enum(STAGES).describe('The stage whose deadline expired.'),
  was_due_at: time.describe('When the deadline would have passed.'),
  fired_at: time,
  status: orderStatus.describe('The new status of the order.'),
  reason: z.string().nullable().describe('The reason on the order’s timeline.'),
});

/** `GET /sandbox/orders`: open orders for simulated LPs. */
export const testOrdersResponse = z.strictObject({
  orders: z.array(
    z.strictObject({
      order_id: id,
      recipient: z.string().describe('A test recipient, which belongs to nobody.'),
      failed_claims: z
        .number()
        .int()
        .nonnegative()
        .describe('How many LPs have released the order or failed its claim.'),
    }),
  ),
});

import { z } from 'zod';
import { STAGES } from '../domain/order-state.ts';
import { id, orderStatus, time } from './answers.ts';
import { address, amount, chain, symbol } from './fields.ts';

/** `POST /sandbox/transactions`: puts a transaction on a simulated chain. */
export const sandboxTransactionRequest = z
  .object({
    chain,
    symbol,
    to: address,
    amount: amount({ places: 18, max: 1_000_000_000 }),
    /** Milliseconds until the chain counts it as final. */
    final_after_ms: z.number().int().min(0).max(86_400_000).default(0),
  })
  .meta({ examples: [{ chain: 'trx', symbol: 'usdt', to: 'TMyReceiveAddress', amount: 50.25 }] });

export const sandboxTransactionResponse = z.strictObject({ tx_hash: z.string() });

/** `POST /sandbox/orders/:orderId/advance`: has an order's deadline pass now. */
export const advanceRequest = z.object({
  status: orderStatus
    .optional()
    .describe('Only while the order is in this status: named, a repeated call fires no later deadline.'),
});

export const advanceResponse = z.strictObject({
  order_id: id,
  deadline: z.enum(STAGES).describe('Whose it was: the stage that the order was in.'),
  was_due_at: time.describe('When it would have passed by itself.'),
  fired_at: time,
  status: orderStatus.describe('What the order is now.'),
  reason: z.string().nullable().describe('Why, as its timeline says.'),
});

/** `GET /sandbox/orders`: what simulated LPs have to do. */
export const testOrdersResponse = z.strictObject({
  orders: z.array(
    z.strictObject({
      order_id: id,
      recipient: z.string().describe('One of the test values, and so nobody’s.'),
      let_down: z.number().int().nonnegative().describe('How many LPs have given it up or let it down.'),
    }),
  ),
});

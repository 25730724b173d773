import { z } from 'zod';
import { ORDER_STATUSES } from '../../../domain/order-state.ts';
import type { FeedMessage, OrderChange } from '../../../notify/feed/message-types.ts';
import { offer } from '../../schemas/offers.ts';
import { currencyList } from '../../schemas/request-fields.ts';
import { boundRecipientCheck, id, reasonCode } from '../../schemas/response-fields.ts';
import { orderResponse } from '../orders/schemas.ts';

/**
 * Changes to orders in the form that an LP receives: on the socket and from `orders/changes`. `src/notify/feed` creates them.
 */

const cursor = z
  .string()
  .describe('The position after this message. A client that resumes here receives the following messages.');

export const orderOpen = z.strictObject({ type: z.literal('order.open'), cursor, order: offer });

export const orderClosed = z.strictObject({
  type: z.literal('order.closed'),
  cursor,
  id,
  reason: z
    .enum([...ORDER_STATUSES, 'frozen'])
    .describe('The present status of the order; `frozen`: the order is frozen, and it may open again.'),
});

/** The LP's own order, with the recipient of the fiat while the LP owns the order. */
export const ownOrderChange = orderResponse
  .omit({ user_id: true, callback_url: true, receipt_url: true })
  .extend({
    status_reason: z
      .string()
      .nullable()
      .describe('Why the order moved, as its timeline shows it. Null if nobody gave a reason.'),
    recipient: z.string().optional(),
    recipient_name: z.string().nullable().optional(),
    recipient_details: z.record(z.string(), z.string()).nullable().optional(),
    recipient_check: boundRecipientCheck.nullable().optional(),
    method: z.string().optional(),
    institution: z.string().nullable().optional(),
  });

export const orderUpdated = z.strictObject({
  type: z.literal('order.updated'),
  cursor,
  status_reason_code: reasonCode.nullable(),
  order: ownOrderChange,
});

export const orderChange = z.discriminatedUnion('type', [
  orderOpen,
  orderClosed,
  orderUpdated,
]) satisfies z.ZodType<OrderChange>;

/** Every message from the server on the socket. */
export const feedMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    cursor,
    heartbeat_ms: z.number().int().positive().describe('Milliseconds between two pings.'),
  }),
  z.strictObject({ type: z.literal('snapshot'), cursor, orders: z.array(offer) }),
  z.strictObject({ type: z.literal('resumed'), cursor }),
  orderOpen,
  orderClosed,
  orderUpdated,
  z.strictObject({ type: z.literal('error'), error: z.string() }),
]) satisfies z.ZodType<FeedMessage>;

/** `GET /api/lp/{lp_key}/orders/changes`, query. */
export const changesQuery = z.object({
  currencies: currencyList.optional(),
  cursor: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Where to continue: the `cursor` of a change, of an earlier response or of a message on the socket, at most 64 characters. Without it, the response has the present end of the feed and no changes.',
    ),
});

export const changesResponse = z.strictObject({
  changes: z.array(orderChange),
  cursor,
  poll_again_ms: z.number().int().positive(),
});

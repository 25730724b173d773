import { z } from 'zod';
import { ORDER_STATUSES } from '../domain/order-state.ts';
import { id } from './answers.ts';
import { currency } from './fields.ts';
import { offer } from './offers.ts';
import { orderResponse } from './orders.ts';

/** What happens to orders, as one LP is told of it: on the socket, and by `orders/changes`. */

const cursor = z.string().describe('The place behind this: whoever goes on from here is told what follows.');

const orderOpen = z.strictObject({ type: z.literal('order.open'), cursor, order: offer });

const orderClosed = z.strictObject({
  type: z.literal('order.closed'),
  cursor,
  id,
  reason: z
    .enum([...ORDER_STATUSES, 'frozen'])
    .describe('The status that it has now; `frozen`: an admin has stopped its clock, and it may open again.'),
});

/** An order of the LP's own, with whom to pay once it owns it. */
export const ownOrderNews = orderResponse
  .omit({ user_id: true, callback_url: true, receipt_url: true })
  .extend({
    recipient: z.string().optional(),
    recipient_name: z.string().nullable().optional(),
    method: z.string().optional(),
  });

const orderUpdated = z.strictObject({ type: z.literal('order.updated'), cursor, order: ownOrderNews });

export const orderChange = z.discriminatedUnion('type', [orderOpen, orderClosed, orderUpdated]);
export type OrderChange = z.output<typeof orderChange>;

/** Everything that is said on the socket. */
export const feedMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    cursor,
    heartbeat_ms: z.number().int().positive().describe('Between two pings.'),
  }),
  z.strictObject({ type: z.literal('snapshot'), cursor, orders: z.array(offer) }),
  z.strictObject({ type: z.literal('resumed'), cursor }),
  orderOpen,
  orderClosed,
  orderUpdated,
  z.strictObject({ type: z.literal('error'), error: z.string() }),
]);

/** `GET /api/lp/{lp_key}/orders/changes`, query. */
export const changesQuery = z.object({
  currencies: z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(currency))
    .optional(),
  cursor: z
    .string()
    .max(64)
    .optional()
    .describe('Of a change, of the answer before, or of the socket. Without it: where the feed is now.'),
});

export const changesResponse = z.strictObject({
  changes: z.array(orderChange),
  cursor,
  poll_again_ms: z.number().int().positive(),
});

import { z } from 'zod';
import { orderClosed, orderOpen, orderUpdated } from '../resources/order-changes/schemas.ts';
import { id, time } from './response-fields.ts';

const timestamp = time.describe('When the order changed.');

/** The body of a webhook to an LP: a change of the order feed, or a strike. */
export const lpWebhookBody = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('order.open'), timestamp, data: orderOpen.omit({ type: true }) }),
  z.strictObject({ type: z.literal('order.updated'), timestamp, data: orderUpdated.omit({ type: true }) }),
  z.strictObject({ type: z.literal('order.closed'), timestamp, data: orderClosed.omit({ type: true }) }),
  z.strictObject({
    type: z.literal('lp.strike'),
    timestamp,
    data: z.strictObject({ order_id: id.describe('The order of the failed claim.') }),
  }),
]);

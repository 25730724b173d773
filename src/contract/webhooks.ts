import { z } from 'zod';
import { id, orderStatus, time } from './answers.ts';
import { orderResponse } from './orders.ts';

/** Contract: "Events", "Body": what is posted to an order's `callback_url`. */
export const webhookBody = z.strictObject({
  event: z.literal('order.status_changed'),
  order_id: id,
  status: orderStatus,
  timestamp: time.describe('When the status changed. With order_id and status it tells a repeat.'),
  data: orderResponse.partial().describe('The fields of the order that have a value.'),
});

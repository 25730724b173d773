import { z } from 'zod';
import { id, orderStatus, reasonCode, time } from '../../schemas/response-fields.ts';
import { orderResponse } from '../orders/schemas.ts';

/** The body of a webhook to an order's `callback_url`. Contract: "Events", "Body". */
export const webhookBody = z.strictObject({
  event: z.literal('order.status_changed'),
  order_id: id,
  status: orderStatus,
  timestamp: time.describe(
    'When the status changed. A repeated webhook has the same order_id, status and timestamp.',
  ),
  status_reason_code: reasonCode.nullable(),
  data: orderResponse
    .omit({ destination_tag: true })
    .partial()
    .describe(
      'The fields of the order that are not null. If the LP’s address has a destination tag, `lp_receive_address` is the X-address, which contains it.',
    ),
});

import { z } from 'zod';
import { DELIVERY_STATES } from '../domain/delivery-state.ts';
import { id, orderStatus, time } from './answers.ts';
import { idInQuery, nextCursor, pageQuery } from './pages.ts';

/** `GET /api/v1/webhook-deliveries`, query. */
export const deliveriesQuery = z.object({
  order_id: z.coerce.number('must be the id of an order').int().positive(),
});

const attempt = z.strictObject({
  attempt: z.number().int().positive().describe('Counts on when the webhook is sent again.'),
  status_code: z.number().int().nullable().describe('What the receiver answered; null: nothing.'),
  error: z.string().nullable(),
  duration_ms: z.number().int().nonnegative(),
  at: time,
});

export const delivery = z.strictObject({
  id: id.describe('For the redeliver path; `webhook-id` is `msg_` and this.'),
  order_id: id,
  seq: z.number().int().positive().describe('Of the transition that it tells of, as in the timeline.'),
  status: orderStatus.describe('The status that it tells of.'),
  state: z.enum(DELIVERY_STATES).describe('What came of the last time it was sent.'),
  created_at: time,
  attempts: z.array(attempt),
});
export type DeliveryView = z.output<typeof delivery>;

export const deliveriesResponse = z.strictObject({ deliveries: z.array(delivery) });

/** `GET /api/admin/webhook-deliveries`, query. */
export const listedDeliveryQuery = pageQuery.extend({
  state: z.enum(DELIVERY_STATES).optional(),
  order_id: idInQuery.optional(),
});

/** A webhook as admins see it. */
export const listedDelivery = delivery.extend({
  agent_key_id: id,
  callback_url: z.string().describe('Where it is sent to.'),
});
export type ListedDeliveryView = z.output<typeof listedDelivery>;

export const deliveryPage = z.strictObject({
  deliveries: z.array(listedDelivery),
  next_cursor: nextCursor,
});
export type DeliveryPage = z.output<typeof deliveryPage>;

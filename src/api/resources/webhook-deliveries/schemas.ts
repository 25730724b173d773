import { z } from 'zod';
import { DELIVERY_STATES } from '../../../domain/delivery-state.ts';
import { LP_WEBHOOK_EVENTS } from '../../../domain/lp-webhook.ts';
import { idInQuery, nextCursor, pageLimit, pageQuery } from '../../schemas/pages.ts';
import { describeField, listValues } from '../../schemas/request-fields.ts';
import { id, orderStatus, time } from '../../schemas/response-fields.ts';

/** `GET /api/v1/webhook-deliveries`, query. */
export const deliveriesQuery = z
  .object({
    order_id: z.coerce
      .number('must be the id of an order')
      .int()
      .positive()
      .optional()
      .describe(
        'The id of one of the agent’s orders: a positive whole number. The response has all webhooks of this order, so no other parameter is allowed. Default: all orders, in pages.',
      ),
    state: z
      .enum(DELIVERY_STATES)
      .optional()
      .describe(`Only webhooks in this state. ${listValues(DELIVERY_STATES)} Default: all.`),
    cursor: pageQuery.shape.cursor,
    limit: pageLimit
      .unwrap()
      .optional()
      .describe(pageLimit.description ?? ''),
  })
  .refine(
    ({ order_id, ...rest }) =>
      order_id === undefined || Object.values(rest).every((given) => given === undefined),
    'order_id lists all webhooks of the order: leave out state, cursor and limit',
  );

const attempt = z.strictObject({
  attempt: z.number().int().positive().describe('The number of the attempt. Continues after a redelivery.'),
  status_code: z
    .number()
    .int()
    .nullable()
    .describe('The status of the receiver’s response; null without a response.'),
  error: z.string().nullable(),
  duration_ms: z.number().int().nonnegative(),
  at: time,
  answer: z
    .string()
    .nullable()
    .describe(
      'The first 200 characters of what the agent’s server answered, or `•••` if they could name the order’s recipient. Null without a response, after the order was masked, and for a webhook to an LP. The server wrote it: never show it as HTML.',
    ),
});

const deliveryState = z.strictObject({
  id: id.describe('The id for the redeliver path. `webhook-id` is `msg_` followed by this id.'),
  order_id: id,
  seq: z
    .number()
    .int()
    .positive()
    .describe('The transition that the webhook reports, numbered as in the timeline.'),
  status: orderStatus.describe('The status that the webhook reports.'),
  state: z.enum(DELIVERY_STATES).describe('The outcome of the last delivery.'),
  created_at: time,
});

/** The agent's view of a webhook. */
export const delivery = deliveryState.extend({
  body: z
    .string()
    .nullable()
    .describe(
      'The bytes that Corridor sends. Null before the first attempt, and after the order was masked.',
    ),
  attempts: z.array(attempt),
});
export type DeliveryView = z.output<typeof delivery>;

export const deliveriesResponse = z.strictObject({
  deliveries: z
    .array(delivery)
    .describe(
      'With `order_id`, the oldest first. Otherwise the newest order first, and its last webhook first.',
    ),
  next_cursor: nextCursor,
});
export type DeliveriesPage = z.output<typeof deliveriesResponse>;

/** `GET /api/admin/webhook-deliveries`, query. */
export const listedDeliveryQuery = pageQuery.extend({
  state: z
    .enum(DELIVERY_STATES)
    .optional()
    .describe(`Only webhooks in this state. ${listValues(DELIVERY_STATES)} Default: all.`),
  order_id: describeField(idInQuery, 'Only webhooks about the order with this id.').optional(),
});

/** The admins' view of a webhook. */
export const listedDelivery = deliveryState.extend({
  attempts: z.array(attempt),
  body: delivery.shape.body.describe(
    'The bytes that Corridor sends. Null before the first attempt, after the order was masked, and for a webhook to an LP about an order, which may contain the recipient.',
  ),
  order_id: id.nullable().describe('The order; null: the webhook reports an event about the LP itself.'),
  seq: deliveryState.shape.seq.nullable(),
  status: deliveryState.shape.status.nullable(),
  agent_key_id: id.nullable().describe('The agent of the order.'),
  lp_id: id.nullable().describe('The LP that receives the webhook; null: the agent receives it.'),
  lp_event: z.enum(LP_WEBHOOK_EVENTS).nullable().describe('The event that the webhook reports to an LP.'),
  callback_url: z
    .string()
    .describe(
      'The URL of the receiver; empty if the LP has turned its webhooks off. A warning of a stolen key keeps its URL.',
    ),
});
export type ListedDeliveryView = z.output<typeof listedDelivery>;

export const deliveryPage = z.strictObject({
  deliveries: z.array(listedDelivery),
  next_cursor: nextCursor,
});
export type DeliveryPage = z.output<typeof deliveryPage>;

import { z } from 'zod';
import { ACTOR_KINDS } from '../domain/order-history.ts';
import { id, orderStatus, time } from './answers.ts';
import { currency, instant } from './fields.ts';
import { statusResponse } from './payments.ts';

/** `GET /api/v1/orders`, query. */
export const ordersQuery = z.object({
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a next_cursor')
    .optional()
    .describe('The `next_cursor` of the page before.'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: orderStatus.optional(),
  currency: currency.optional(),
  created_from: instant.optional().describe('Created at this time or later.'),
  created_to: instant.optional().describe('Created before this time.'),
});

export const ordersResponse = z.strictObject({
  orders: z.array(statusResponse),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});

const transition = z.strictObject({
  seq: z.number().int().positive(),
  from_status: orderStatus.nullable().describe('Null for the creation.'),
  status: orderStatus,
  actor: z.enum(ACTOR_KINDS),
  lp_id: id.nullable().describe('The LP, where one acted.'),
  cause: z.string().describe('What was asked for: `pay`, `claim`, `deadline` …'),
  reason: z.string().nullable().describe('For people.'),
  at: time,
});
export type TransitionView = z.output<typeof transition>;

/** `GET /api/v1/orders/{orderId}/timeline`. */
export const timelineResponse = z.strictObject({
  order_id: id,
  status: orderStatus,
  transitions: z.array(transition),
  next: z
    .strictObject({
      waiting_for: z.enum(['lp', 'agent', 'chain', 'admin']),
      due_at: time.nullable().describe('Null while no clock runs.'),
    })
    .nullable()
    .describe('Null when the order is at its end.'),
});

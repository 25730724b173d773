import { z } from 'zod';
import { ACTOR_KINDS } from '../../../domain/order-commands.ts';
import { orderFilters } from '../../schemas/order-filters.ts';
import { pageLimit } from '../../schemas/pages.ts';
import { id, orderStatus, reasonCode, time } from '../../schemas/response-fields.ts';
import { shownIncident } from '../incidents/schemas.ts';
import { statusResponse } from '../payments/schemas.ts';

/** `GET /api/v1/orders`, query. */
export const ordersQuery = z.object({
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a next_cursor')
    .optional()
    .describe('The `next_cursor` of the previous page, a positive whole number. Default: the first page.'),
  limit: pageLimit,
  ...orderFilters,
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
  lp_id: id.nullable().describe('The LP, if an LP acted.'),
  cause: z.string().describe('The command or event: `pay`, `claim`, `deadline` …'),
  reason: z.string().nullable().describe('An explanation for people.'),
  reason_code: reasonCode.nullable(),
  at: time,
});
export type TransitionView = z.output<typeof transition>;

/** `GET /api/v1/orders/{orderId}/timeline`. */
export const timelineResponse = z.strictObject({
  order_id: id,
  status: orderStatus,
  transitions: z.array(transition),
  incidents: z
    .array(shownIncident.extend({ closed_at: time.nullable().describe('Null: it is open.') }))
    .describe('The incidents that stop or have stopped the order’s clock, oldest first.'),
  next: z
    .strictObject({
      waiting_for: z.enum(['lp', 'agent', 'chain', 'admin']),
      due_at: time.nullable().describe('Null: no deadline runs.'),
      stopped: z
        .strictObject({ since: time, reason: z.string() })
        .nullable()
        .describe(
          'An open incident has stopped the clock: the deadline does not expire, and moves by the time lost when the incident is closed. Null: the clock runs, or there is none.',
        ),
    })
    .nullable()
    .describe('Null: the order has ended.'),
});

import { z } from 'zod';
import { ORDER_STATUSES, type OrderStatus } from '../../../domain/order-state.ts';
import { money, orderStatus, time } from '../../schemas/response-fields.ts';
import { incidentResponse } from '../incidents/schemas.ts';
import { pauseResponse } from '../pauses/schemas.ts';

const count = z.number().int().nonnegative();

/** `GET /api/admin/overview`. */
export const overviewResponse = z.strictObject({
  at: time,
  orders: z
    .array(
      z.strictObject({
        status: orderStatus,
        count,
        oldest_at: time
          .nullable()
          .describe(
            'When the oldest order in this status entered it. Null without orders, and for final statuses.',
          ),
      }),
    )
    .describe('Every status, including those without orders.'),
  webhooks: z.strictObject({
    pending: count,
    oldest_pending_at: time.nullable(),
    exhausted: count.describe('Abandoned after all attempts, those to LPs included.'),
  }),
  waiting_for_admin: z.strictObject({
    disputes: count,
    frozen_orders: count.describe('Orders that are frozen, by an admin, an LP or lost commits.'),
    pending_lps: count,
    requested_withdrawals: count,
    proposals: count.describe(
      'Proposals that wait for a second admin to approve or to reject them (`APPROVALS=on`), with those whose first attempt failed.',
    ),
    revoked_agent_orders: count.describe('Orders under way whose agent key is revoked.'),
  }),
  pauses: z.array(pauseResponse).describe('The pauses in force, oldest first.'),
  incidents: z.array(incidentResponse).describe('The open incidents, oldest first.'),
  processes: z
    .strictObject({ api: count, worker: count })
    .describe('Processes that have sent a heartbeat within the last ten seconds.'),
  reconciler: z.strictObject({ last_run_at: time.nullable(), at_work: z.boolean() }),
});
export type Overview = z.output<typeof overviewResponse>;

/** `GET /api/admin/throughput`, query. */
export const throughputQuery = z.object({
  hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(24)
    .default(3)
    .describe('The number of hours up to now, from 1 to 24. Default: 3.'),
});

const statusCounts = z.strictObject(
  Object.fromEntries(ORDER_STATUSES.map((status) => [status, count])) as Record<OrderStatus, typeof count>,
);

/** `GET /api/admin/throughput`. */
export const throughputResponse = z.strictObject({
  bucket_seconds: count.describe('60 for up to three hours, more for a longer range.'),
  buckets: z
    .array(
      z.strictObject({
        at: time.describe('When the bucket begins.'),
        entered: statusCounts.describe(
          'How many orders entered each status; `matched` counts payments and reoffered orders.',
        ),
        completed_usd: money.describe('USD value of the completed orders.'),
      }),
    )
    .describe('Oldest first, without gaps. The last bucket is still open.'),
});
export type Throughput = z.output<typeof throughputResponse>;

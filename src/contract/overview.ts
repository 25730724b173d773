import { z } from 'zod';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order-state.ts';
import { money, orderStatus, time } from './answers.ts';

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
            'When the order that has stood there longest last moved. Null: none does, or it is an end.',
          ),
      }),
    )
    .describe('Every status, whether an order stands in it or not.'),
  webhooks: z.strictObject({
    pending: count,
    oldest_pending_at: time.nullable(),
    exhausted: count.describe('Given up after all their attempts.'),
  }),
  waiting_for_admin: z.strictObject({
    disputes: count,
    pending_lps: count,
    requested_withdrawals: count,
  }),
  processes: z
    .strictObject({ api: count, worker: count })
    .describe('Processes that have said within ten seconds that they are there.'),
  reconciler: z.strictObject({ last_run_at: time.nullable(), at_work: z.boolean() }),
});
export type Overview = z.output<typeof overviewResponse>;

/** `GET /api/admin/throughput`, query. */
export const throughputQuery = z.object({
  hours: z.coerce.number().int().min(1).max(24).default(3).describe('How far back, to the present moment.'),
});

const statusCounts = z.strictObject(
  Object.fromEntries(ORDER_STATUSES.map((status) => [status, count])) as Record<OrderStatus, typeof count>,
);

/** `GET /api/admin/throughput`. */
export const throughputResponse = z.strictObject({
  bucket_seconds: count.describe('A minute for three hours, and longer for more.'),
  buckets: z
    .array(
      z.strictObject({
        at: time.describe('When it begins.'),
        entered: statusCounts.describe(
          'How many times an order came into each status; `matched` counts payments and orders offered anew.',
        ),
        completed_usd: money.describe('USD value of the orders completed.'),
      }),
    )
    .describe('Oldest first, without gaps. The last one is not over yet.'),
});
export type Throughput = z.output<typeof throughputResponse>;

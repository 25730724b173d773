import { z } from 'zod';
import { BULK_ACTIONS, BULK_OUTCOMES, BULK_STATES, MAX_FILTER_LENGTH } from '../../../domain/bulk.ts';
import { MAX_DURATION_MS, parseDuration } from '../../../domain/duration.ts';
import { reason } from '../../schemas/order-commands.ts';
import { nextCursor, pageQuery } from '../../schemas/pages.ts';
import { describeField, instant, line, listValues } from '../../schemas/request-fields.ts';
import { fiatMoney, id, orderStatus, time, usdMoney } from '../../schemas/response-fields.ts';

const by = z
  .string()
  .trim()
  .refine(
    (text) => (parseDuration(text) ?? 0) > 0 && Number(parseDuration(text)) <= MAX_DURATION_MS,
    'must be a duration such as 2h, of at most 365d',
  )
  .transform((text) => Number(parseDuration(text)))
  .describe('A whole number with `ms`, `s`, `m`, `h` or `d`, at most `365d`.');

/** `POST /api/admin/bulk-runs`. */
export const bulkRequest = z
  .object({
    action: z
      .enum(BULK_ACTIONS)
      .describe(
        `The command that each order gets. ${listValues(BULK_ACTIONS)} \`redeliver\` sends exhausted webhooks again.`,
      ),
    where: describeField(
      line(MAX_FILTER_LENGTH),
      'The orders: conditions that must all hold, separated by spaces. `status=`, `currency=`, `agent=`, `lp=` and `chain=` take values separated by commas; `frozen=` takes `yes` or `no`. `due<30m` is a deadline that is less than 30 minutes away, `created>2d` an order older than 2 days; both also take `<`, `>` and ISO 8601 times.',
    ),
    by: describeField(by, 'Only with `extend`: how much later each deadline becomes.').optional(),
    until: describeField(
      instant,
      'Only with `extend`: the new deadline of all orders, instead of `by`.',
    ).optional(),
    reason,
  })
  .refine(({ action, by, until }) => action !== 'extend' || (by === undefined) !== (until === undefined), {
    path: ['by'],
    message: 'extend takes either by or until',
  })
  .refine(({ action, by, until }) => action === 'extend' || (by === undefined && until === undefined), {
    path: ['by'],
    message: 'by and until are only for extend',
  })
  .meta({
    examples: [
      { action: 'cancel', where: 'status=matched currency=KES', reason: 'The mobile-money network is down' },
    ],
  });
export type BulkRequest = z.output<typeof bulkRequest>;

const count = z.number().int().nonnegative();
const actor = z.string().describe('`admin:3`, `admin:root`, or `service`.');

/** A run in a list. */
export const bulkRun = z.strictObject({
  id,
  action: z.enum(BULK_ACTIONS),
  state: z
    .enum(BULK_STATES)
    .describe(
      '`prepared`: the dry run was made. `expired`: it was never started, and no longer can be. `stopping`: no further order is treated, and the last ones are about to end.',
    ),
  where: z.string(),
  by_ms: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('How much later each deadline becomes, in ms; null: not by a duration.'),
  until: time.nullable().describe('The new deadline of all orders; null: none.'),
  reason: z.string(),
  created_by: actor,
  created_at: time,
  expires_at: time.describe('The run starts before this time or never.'),
  started_at: time.nullable(),
  stopped_by: actor
    .nullable()
    .describe('`service`: the admin who started it may no longer send its commands.'),
  stopped_at: time.nullable(),
  finished_at: time.nullable(),
  orders: count.describe('Orders that the dry run selected. The run carries out these and no others.'),
  treated: count.describe('Orders that have an outcome.'),
});
export type BulkRunView = z.output<typeof bulkRun>;

export const bulkPage = z.strictObject({ bulk_runs: z.array(bulkRun), next_cursor: nextCursor });
export type BulkPage = z.output<typeof bulkPage>;
export const bulkQuery = pageQuery;

const outcome = z
  .enum(BULK_OUTCOMES)
  .describe(
    '`applied`: the run changed the order. `already`: it was so before. `moved`: the order is no longer as the dry run showed it, and was left alone. `refused`: the order’s rules refuse the command. `unanswered`: the order did not answer, and may still carry the command out.',
  );
const refusal = z
  .string()
  .nullable()
  .describe('The code of the refusal, such as `wrong_state`; null for other outcomes.');

/** One run with what its dry run showed, and what became of the orders. */
export const bulkRunDetail = bulkRun.extend({
  statuses: z.array(z.strictObject({ status: orderStatus, orders: count })).describe('At the dry run.'),
  totals: z.array(
    z.strictObject({ currency: z.string(), orders: count, amount_fiat: fiatMoney, amount_usd: usdMoney }),
  ),
  sample: z.array(id).describe('The first orders of the set, at most 10.'),
  outcomes: z.array(z.strictObject({ outcome, reason: refusal, orders: count })),
  untouched: z
    .array(z.strictObject({ order_id: id, outcome, reason: refusal }))
    .describe('The first orders that the run did not change, at most 20.'),
  workflow_url: z
    .string()
    .nullable()
    .describe(
      'The run’s workflow in the Temporal UI; null: it has not started, or `TEMPORAL_UI_URL` is not set.',
    ),
});
export type BulkRunDetail = z.output<typeof bulkRunDetail>;

import { z } from 'zod';
import { DRIFT_KINDS, type DriftKind } from '../../../domain/workflow-drift.ts';
import { RESERVE_RESULTS } from '../../../operations/diagnosis/reserves.ts';
import { chainName, id, time } from '../../schemas/response-fields.ts';

const kind = z.enum(Object.keys(DRIFT_KINDS) as [DriftKind, ...DriftKind[]]);

const finding = z.strictObject({
  order_id: id.nullable().describe('Null: the finding does not concern one order’s workflow.'),
  where: z.string(),
  expected: z.string(),
  found: z.string(),
});

const amountOrNull = z.number().nonnegative().nullable();

const reserves = z.strictObject({
  result: z
    .enum(RESERVE_RESULTS)
    .describe(
      '`covered`: the platform’s addresses hold what LPs are owed. `short`: they do not. `unconfirmed`: they hold less; the next comparison confirms it, unless a payout that is not recorded yet explains it. `unknown`: a node does not respond, or no worker compares. `not_compared`: no address of the platform on a real chain can be compared, or comparing is switched off.',
    ),
  checked_at: time.nullable(),
  owed_usd: amountOrNull.describe('The amount that LPs are owed, without collateral on simulated chains.'),
  withdrawing_usd: amountOrNull.describe('The part of it in requested withdrawals.'),
  held_usd: amountOrNull.describe('The sum of the balances that could be read.'),
  short_since: time.nullable().describe('Since when less is held than is owed.'),
  holdings: z.array(
    z.strictObject({
      chain: chainName,
      symbol: z.string(),
      held: amountOrNull.describe('The balance of the platform’s addresses. Null: the node did not respond.'),
      unread: z
        .enum(['unavailable', 'shared_account'])
        .nullable()
        .describe(
          'Why `held` is incomplete. `shared_account`: the deposit address has a destination tag, so its balance may belong to others.',
        ),
      booked: z
        .number()
        .describe('Confirmed deposits less payouts. Negative: more was paid out than deposited.'),
    }),
  ),
});

const drift = z.strictObject({
  kind,
  count: z
    .number()
    .int()
    .nonnegative()
    .nullable()
    .describe('Null: unknown, because Temporal or the node of a chain does not respond.'),
  healing: z.boolean().describe('The reconciler repairs this kind of drift, and is running.'),
  first: z.array(finding).describe('At most 100.'),
});

/** `GET /api/admin/reconciliation`. */
export const reconciliationResponse = z.strictObject({
  checked_at: time,
  needs_attention: z.boolean().describe('Some drift is not being repaired, or is unknown.'),
  temporal: z.boolean().describe('Whether Temporal has listed the running workflows.'),
  reconciler: z.strictObject({
    last_run_at: time.nullable(),
    at_work: z.boolean(),
    started_workflows: z
      .number()
      .int()
      .nonnegative()
      .describe('Workflows that the reconciler has started since the installation.'),
  }),
  reserves,
  drift: z.array(drift).describe('Every kind of drift, including those without findings.'),
});
export type ReconciliationReport = z.output<typeof reconciliationResponse>;

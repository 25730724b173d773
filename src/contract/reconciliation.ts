import { z } from 'zod';
import { DRIFT_KINDS, type DriftKind } from '../domain/drift.ts';
import { id, time } from './answers.ts';

const kind = z.enum(Object.keys(DRIFT_KINDS) as [DriftKind, ...DriftKind[]]);

const finding = z.strictObject({
  order_id: id.nullable().describe('Null where it is not about one order’s workflow.'),
  where: z.string(),
  expected: z.string(),
  found: z.string(),
});

const drift = z.strictObject({
  kind,
  count: z
    .number()
    .int()
    .nonnegative()
    .nullable()
    .describe('Null: not known, because Temporal does not answer.'),
  healing: z.boolean().describe('The reconciler mends this kind by itself, and is at work.'),
  first: z.array(finding).describe('At most 100.'),
});

/** `GET /api/admin/reconciliation`. */
export const reconciliationResponse = z.strictObject({
  checked_at: time,
  needs_attention: z.boolean().describe('There is drift that is not healing, or Temporal does not answer.'),
  temporal: z.boolean().describe('Whether Temporal has said which workflows run.'),
  reconciler: z.strictObject({
    last_run_at: time.nullable(),
    at_work: z.boolean(),
    started_workflows: z.number().int().nonnegative().describe('All that it has ever started.'),
  }),
  drift: z.array(drift).describe('Every kind, whether there is any or not.'),
});
export type ReconciliationReport = z.output<typeof reconciliationResponse>;

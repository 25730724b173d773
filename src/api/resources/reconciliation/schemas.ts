import { z } from 'zod';
import { DRIFT_KINDS, type DriftKind } from '../../../domain/workflow-drift.ts';
import { id, time } from '../../schemas/response-fields.ts';

const kind = z.enum(Object.keys(DRIFT_KINDS) as [DriftKind, ...DriftKind[]]);

const finding = z.strictObject({
  order_id: id.nullable().describe('Null when the finding is not about one order’s workflow.'),
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
    .describe('Null: unknown, because Temporal does not respond.'),
  healing: z.boolean().describe('The reconciler repairs this kind of drift, and is running.'),
  first: z.array(finding).describe('At most 100.'),
});

/** `GET /api/admin/reconciliation`. */
export const reconciliationResponse = z.strictObject({
  checked_at: time,
  needs_attention: z.boolean().describe('Some drift is not being repaired, or Temporal does not respond.'),
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
  drift: z.array(drift).describe('Every kind of drift, including those without findings.'),
});
export type ReconciliationReport = z.output<typeof reconciliationResponse>;

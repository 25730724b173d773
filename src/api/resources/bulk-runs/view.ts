import { bulkWorkflowId } from '../../../../workflows/messages.ts';
import type { BulkRun } from '../../../db/entities/bulk.ts';
import { bulkState } from '../../../domain/bulk.ts';
import { type BulkReport, timesOf } from '../../../operations/bulk/runs.ts';
import type { BulkRunDetail, BulkRunView } from './schemas.ts';

export function bulkRunView(run: BulkRun, treated: number): BulkRunView {
  const { arguments: given, stopped_by, created_at, ...row } = run;
  const times = timesOf(run);
  return {
    ...{ id: row.id, action: row.action, state: bulkState(times, new Date()), where: row.filter },
    ...{ by_ms: given.by_ms ?? null, until: given.until ?? null, reason: row.reason },
    ...{
      created_by: row.created_by,
      created_at: iso(created_at),
      expires_at: times.expires_at.toISOString(),
    },
    ...{ started_at: isoOrNull(times.started_at), stopped_by: stopped_by ?? null },
    ...{ stopped_at: isoOrNull(times.stopped_at), finished_at: isoOrNull(times.finished_at) },
    ...{ orders: row.orders, treated },
  };
}

/** `workflowsUrl`: see `ApiDeps`. */
export function bulkDetailView(
  run: BulkRun,
  report: BulkReport,
  workflowsUrl: string | undefined,
): BulkRunDetail {
  const { sample, outcomes, untouched } = report;
  const { statuses, totals } = run.selection;
  const treated = outcomes.reduce((sum, { orders }) => sum + orders, 0);
  return {
    ...bulkRunView(run, treated),
    ...{ statuses, sample, outcomes, untouched },
    totals: totals.map(({ amount_fiat, amount_usd, ...total }) => ({
      ...{ ...total, amount_fiat: Number(amount_fiat), amount_usd: Number(amount_usd) },
    })),
    workflow_url: workflowsUrl && run.started_at ? `${workflowsUrl}/${bulkWorkflowId(run.id)}` : null,
  };
}

const iso = (time: Date): string => new Date(time).toISOString();
const isoOrNull = (time: Date | null): string | null => (time ? iso(time) : null);

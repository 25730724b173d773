import { checkDrift, type DriftCheck } from '../../../diagnosis/check-drift.ts';
import { DRIFT_KINDS, type DriftKind } from '../../../domain/workflow-drift.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { type ReconciliationReport, reconciliationResponse } from './schemas.ts';

const SHOWN = 100;

/** Admins compare rows, workflows and ledger. Each request runs the comparison. */
export const reconciliationRoutes = (deps: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/admin/reconciliation',
    auth: 'admin',
    summary: 'Compare orders, workflows and ledger',
    description: 'Reads all of them, which takes time in a large installation. Changes nothing.',
    answers: { 200: reconciliationResponse },
    refuses: [],
    handle: async () => ({ status: 200, body: reportOf(await checkDrift(deps)) }),
  }),
];

function reportOf({ checkedAt, findings, temporal, reconciler }: DriftCheck): ReconciliationReport {
  const drift = driftKinds.map((kind) => {
    const found = findings.filter((finding) => finding.kind === kind);
    return {
      kind,
      count: temporal || kind === 'ledger' ? found.length : null,
      healing: DRIFT_KINDS[kind].mended && reconciler.atWork,
      first: found.slice(0, SHOWN).map(({ orderId, what, where, expected, found }) => ({
        order_id: orderId,
        where: kind === 'ledger' ? `${what}: ${where}` : where,
        ...{ expected, found },
      })),
    };
  });
  return {
    checked_at: checkedAt.toISOString(),
    needs_attention: !temporal || drift.some(({ count, healing }) => count !== 0 && !healing),
    temporal,
    reconciler: {
      last_run_at: reconciler.lastRunAt,
      at_work: reconciler.atWork,
      started_workflows: reconciler.startedWorkflows,
    },
    drift,
  };
}

const driftKinds = Object.keys(DRIFT_KINDS) as DriftKind[];

import { DRIFT_KINDS, type DriftKind } from '../../../domain/workflow-drift.ts';
import { checkDrift, type DriftCheck, knowsWorkflows } from '../../../operations/diagnosis/check-drift.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { type ReconciliationReport, reconciliationResponse } from './schemas.ts';

const SHOWN = 100;

/** Admins compare rows, workflows and ledger. Each request runs the comparison, except for the reserves. */
export const reconciliationRoutes = (deps: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/admin/reconciliation',
    auth: 'admin',
    summary: 'Compare orders, workflows, ledger and reserves',
    description:
      'Takes time in a large installation. The reserves are those of the workers’ last comparison. Changes nothing.',
    answers: { 200: reconciliationResponse },
    refuses: [],
    handle: async () => ({ status: 200, body: reportOf(await checkDrift(deps)) }),
  }),
];

function reportOf(check: DriftCheck): ReconciliationReport {
  const { reserves, reconciler } = check;
  const temporal = knowsWorkflows(check.drift);
  const drift = driftKinds.map((kind) => {
    const found = check.drift[kind];
    return {
      kind,
      count: found?.length ?? null,
      healing: DRIFT_KINDS[kind].mended && reconciler.atWork,
      first: (found ?? []).slice(0, SHOWN).map(({ orderId = null, what, where, expected, found }) => ({
        order_id: orderId,
        where: orderId === null ? `${what}: ${where}` : where,
        ...{ expected, found },
      })),
    };
  });
  return {
    checked_at: new Date().toISOString(),
    needs_attention: !temporal || drift.some(({ count, healing }) => count !== 0 && !healing),
    temporal,
    reconciler: {
      last_run_at: reconciler.lastRunAt,
      at_work: reconciler.atWork,
      started_workflows: reconciler.startedWorkflows,
    },
    reserves: {
      result: reserves.result,
      checked_at: reserves.checkedAt?.toISOString() ?? null,
      owed_usd: reserves.owed && Number(reserves.owed.total),
      withdrawing_usd: reserves.owed && Number(reserves.owed.withdrawing),
      held_usd: reserves.held === null ? null : Number(reserves.held),
      short_since: reserves.shortSince?.toISOString() ?? null,
      holdings: reserves.holdings.map(({ held, booked, ...others }) => ({
        ...others,
        held: held === null ? null : Number(held),
        booked: Number(booked),
      })),
    },
    drift,
  };
}

const driftKinds = Object.keys(DRIFT_KINDS) as DriftKind[];

import { isUndecided, type StepInput, type StepReport } from '../src/domain/order-steps.ts';
import { isAhead } from '../src/domain/workflow-drift.ts';
import { freezeAfterLoss } from '../src/orders/steps/freeze-after-loss.ts';
import { reportRow } from '../src/orders/steps/perform-step.ts';
import type { ActivityDeps } from './deps.ts';

/**
 * The workflow would adopt the row. If it has seen more than the row, the database has lost commits: then it gets the
 * frozen row, before it can decide anything from the older one.
 */
export async function frozenIfLost(
  deps: Pick<ActivityDeps, 'db' | 'log'>,
  input: Pick<StepInput, 'orderId' | 'state'>,
  report: StepReport,
): Promise<StepReport> {
  const { version, status } = input.state;
  if (!isUndecided(report.result) || !isAhead({ version, status }, report.state)) return report;
  await freezeAfterLoss(deps, input.orderId, { version, status });
  return reportRow(deps.db, input, report.result);
}

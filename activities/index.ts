import { crashPoint } from '../src/crash-point.ts';
import { performStep } from '../src/db/steps/perform-step.ts';
import { isUndecided, type StepActivities, type StepResult } from '../src/domain/steps.ts';
import { autoClaimActivities } from './auto-claims.ts';
import { collateralActivities } from './collateral.ts';
import type { ActivityDeps, PerformStep } from './deps.ts';
import { beating } from './heartbeat.ts';
import { orderActivities } from './orders.ts';
import { verificationActivities } from './verification.ts';
import { type DeliverWebhookInput, webhookActivities } from './webhooks.ts';

/** Everything the order workflow can have done, by the names that the Temporal UI shows. */
export function createActivities(deps: ActivityDeps) {
  const perform: PerformStep = (step) => async (input) => {
    crashPoint('step.begun');
    const began = performance.now();
    const told = (result: StepResult | 'error') =>
      deps.orderMetrics.stepped(step, result, (performance.now() - began) / 1_000);
    const report = await performStep(deps.db, step, input).catch((error) => {
      told('error');
      throw error;
    });
    told(report.result);
    crashPoint('step.committed');
    if (!isUndecided(report.result)) deps.announce(input.requestId);
    return report;
  };
  const steps: StepActivities = { ...collateralActivities(perform), ...orderActivities(perform, deps) };
  const { deliverWebhook, deliverAtOnce } = webhookActivities(deps);
  return {
    ...steps,
    ...autoClaimActivities(deps),
    ...verificationActivities(deps),
    deliverAtOnce,
    deliverWebhook: (input: DeliverWebhookInput) => beating(() => deliverWebhook(input)),
  };
}

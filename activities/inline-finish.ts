import type { WebhookActivities } from '../src/domain/activity-types.ts';
import { decide } from '../src/domain/order-decision.ts';
import type { OrderState, StepName } from '../src/domain/order-state.ts';
import type { StepInput, StepReport } from '../src/domain/order-steps.ts';
import { verdictCommand } from '../src/domain/payment-verdict.ts';
import type { ActivityDeps } from './deps.ts';
import type { FirstLook } from './verification.ts';

type FinishDeps = Pick<ActivityDeps, 'log'> & {
  deliverInline: WebhookActivities['deliverInline'];
  firstLook: FirstLook;
};

/**
 * Does after a step what the workflow would do next, for a receiver and a chain that were fast until now: fewer activities make
 * the workflow's task cheaper. What does not succeed is left to the workflow. `perform`: takes a step.
 */
export function inlineFinish(
  { deliverInline, firstLook, log }: FinishDeps,
  perform: (step: StepName) => (input: StepInput) => Promise<StepReport>,
) {
  return async (input: StepInput, report: StepReport): Promise<StepReport> => {
    const { webhook, state } = report;
    if (webhook !== null && (await isDelivered(input, webhook))) report = { ...report, webhook: null };
    if (state.status !== 'crypto_verify_pending' || state.frozenMs !== null) return report;
    const followUp = await verifyInline(input, state);
    return followUp ? { ...report, followUp } : report;
  };

  function leaveToWorkflow(what: string, { orderId }: StepInput) {
    return (error: unknown): undefined => {
      log.warn({ err: error, orderId }, `${what} failed after a step; its workflow tries again`);
    };
  }

  async function isDelivered(input: StepInput, seq: number): Promise<boolean> {
    const { orderId } = input;
    const attempted = deliverInline({ orderId, seq }).catch(leaveToWorkflow('a webhook', input));
    return (await attempted) === 'done';
  }

  /** Most transactions are final when the agent settles. Undefined: the workflow verifies the payment. */
  async function verifyInline(input: StepInput, state: OrderState): Promise<StepReport['followUp']> {
    const verify = async () => {
      const verdict = await firstLook(input.orderId);
      if (!verdict) return undefined;
      const command = verdictCommand(verdict, state.version);
      const decision = decide(state, command);
      if (decision.kind !== 'apply') return undefined;
      const { step } = decision;
      const report = await perform(step)({ ...input, state, command });
      return report.result === 'applied' ? { step, ...report } : undefined;
    };
    return verify().catch(leaveToWorkflow('the verification', input));
  }
}

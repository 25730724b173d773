import { bind, type Statement } from '../../db/statement.ts';
import { decide } from '../../domain/order-decision.ts';
import type { StepName } from '../../domain/order-state.ts';
import type { StepInput } from '../../domain/order-steps.ts';
import { cancelRevoked } from './cancel-revoked.ts';
import { cancelUnclaimed } from './cancel-unclaimed.ts';
import { cancelUnpaid } from './cancel-unpaid.ts';
import { claim } from './claim.ts';
import { complete } from './complete.ts';
import { confirm } from './confirm.ts';
import { expireDeadlineNow } from './expire-deadline-now.ts';
import { extendDeadline } from './extend-deadline.ts';
import { freeze } from './freeze.ts';
import { markFiatSent } from './mark-fiat-sent.ts';
import { openDispute } from './open-dispute.ts';
import { rejectTransaction } from './reject-transaction.ts';
import { reofferOrder } from './reoffer-order.ts';
import { replaceTransaction } from './replace-transaction.ts';
import { resolveCancelled } from './resolve-cancelled.ts';
import { resolveCompleted } from './resolve-completed.ts';
import { retryVerification } from './retry-verification.ts';
import { settle } from './settle.ts';
import { commonParameters, type Step, type StepSettings, stepStatement } from './shared/step.ts';
import { startRevocationGrace } from './start-revocation-grace.ts';
import { unfreeze } from './unfreeze.ts';

/** Every step by its name in the table of transitions. */
export const STEPS: Record<StepName, Step> = {
  claim,
  markFiatSent,
  confirm,
  settle,
  replaceTransaction,
  complete,
  rejectTransaction,
  cancelUnclaimed,
  reofferOrder,
  cancelUnpaid,
  openDispute,
  resolveCompleted,
  resolveCancelled,
  retryVerification,
  extendDeadline,
  expireDeadlineNow,
  freeze,
  unfreeze,
  startRevocationGrace,
  cancelRevoked,
};

export const STEP_STATEMENTS = Object.fromEntries(
  Object.entries(STEPS).map(([name, step]) => [name, stepStatement(name as StepName, step)]),
) as Record<StepName, Statement>;

/**
 * Returns the statement of a step with its values. It decides again, because the workflow's decision comes through
 * Temporal. Throws if the command does not lead to this step.
 */
export function stepQuery(name: StepName, input: StepInput, settings: StepSettings) {
  const { orderId, state, command } = input;
  const decision = decide(state, command);
  if (decision.kind !== 'apply' || decision.step !== name)
    throw new Error(
      `Order ${orderId} cannot take the step ${name} for ${command.trigger} while ${state.status}: the rules decide ${JSON.stringify(decision)}`,
    );
  const own = STEPS[name].parameters?.(command, settings);
  return bind(STEP_STATEMENTS[name], { ...commonParameters(input, decision), ...own });
}

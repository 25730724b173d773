import { bind, type Statement } from '../../db/statement.ts';
import { isTransition, type StepName } from '../../domain/order-state.ts';
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
  cancelRevoked,
};

export const STEP_STATEMENTS = Object.fromEntries(
  Object.entries(STEPS).map(([name, step]) => [name, stepStatement(name as StepName, step)]),
) as Record<StepName, Statement>;

/** The statement of a step with its values. Throws if the table of transitions has no such transition. */
export function stepQuery(name: StepName, input: StepInput, settings: StepSettings) {
  const { from, to, orderId, command } = input;
  if (!isTransition(from, command, name, to))
    throw new Error(
      `Order ${orderId} cannot go from ${from} to ${to} by ${name} for ${command.trigger}: TRANSITIONS has no such row`,
    );
  const own = STEPS[name].parameters?.(input.command, settings);
  return bind(STEP_STATEMENTS[name], { ...commonParameters(input), ...own });
}

import type { StepActivities, StepInput } from '../src/domain/steps.ts';
import type { PerformStep } from './deps.ts';
import { createQueues } from './queues.ts';

/**
 * Claims of one LP that are with the database at the same time. All of them want the row of its collateral, one after
 * the other: while one has it, the next can get as far as that. More would only hold connections that other orders
 * need, and make PostgreSQL wake them in turn, which costs more than the claims; see docs/performance.md.
 */
const CLAIMS_OF_ONE_LP = 4;

/** The steps that move an LP's collateral: lock with the claim, release or take the fee when the claim ends. */
export function collateralActivities(perform: PerformStep) {
  const inTurn = createQueues(CLAIMS_OF_ONE_LP);
  const claim = perform('claim');
  return {
    claim: (input) => inTurn(claimant(input), () => claim(input)),
    complete: perform('complete'),
    reofferOrder: perform('reofferOrder'),
    cancelUnpaid: perform('cancelUnpaid'),
    resolveCompleted: perform('resolveCompleted'),
    resolveCancelled: perform('resolveCancelled'),
  } satisfies Partial<StepActivities>;
}

/** The LP that claims, by an order's command. */
function claimant({ orderId, command }: StepInput): number {
  if (command.trigger === 'claim' || command.trigger === 'autoClaim') return command.lpId;
  throw new TypeError(`Order ${orderId} is claimed by the command ${command.trigger}, which names no LP`);
}

import type { StepActivities } from '../src/domain/steps.ts';
import type { PerformStep } from './deps.ts';

/** The steps that move an LP's collateral: lock with the claim, release or take the fee when the claim ends. */
export const collateralActivities = (perform: PerformStep) =>
  ({
    claim: perform('claim'),
    complete: perform('complete'),
    reofferOrder: perform('reofferOrder'),
    cancelUnpaid: perform('cancelUnpaid'),
    resolveCompleted: perform('resolveCompleted'),
    resolveCancelled: perform('resolveCancelled'),
  }) satisfies Partial<StepActivities>;

import { FAILED_CLAIM, MAY_REOFFER } from './shared/failed-claim.ts';
import type { Step } from './shared/step.ts';

/** The LP's claim has failed and the order is open again. */
export const reofferOrder: Step = {
  ...FAILED_CLAIM,
  where: [...FAILED_CLAIM.where, MAY_REOFFER],
};

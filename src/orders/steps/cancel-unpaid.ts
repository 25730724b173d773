import { FAILED_CLAIM as LIMIT } from '../../domain/order-state.ts';
import { MAY_REOFFER } from './reoffer-order.ts';
import { FAILED_CLAIM } from './shared/failed-claim.ts';
import type { Step } from './shared/step.ts';

/** The LP's claim has failed and the order ends: too many claims of it have failed, or no other LP can take it. */
export const cancelUnpaid: Step = {
  ...FAILED_CLAIM,
  set: { ...FAILED_CLAIM.set, cancelled_at: 'now()' },
  // That there is no other LP is the workflow's word.
  where: [...FAILED_CLAIM.where, `(orders.reoffers >= ${LIMIT.after} or not (${MAY_REOFFER}))`],
};

import { agentIsActive } from '../../db/revoked-agent.ts';
import { FAILED_CLAIM, MAY_REOFFER } from './shared/failed-claim.ts';
import type { Step } from './shared/step.ts';

/**
 * The LP's claim has failed and the order ends: too many claims of it have failed, or no other LP can take it. After the revocation
 * of the agent's key no claim has failed: `cancelRevoked` ends the order.
 */
export const cancelUnpaid: Step = {
  ...FAILED_CLAIM,
  set: { ...FAILED_CLAIM.set, cancelled_at: 'now()' },
  where: [...FAILED_CLAIM.where, agentIsActive('orders'), `not (${MAY_REOFFER})`],
};

import { FAILED_CLAIM, MAY_REOFFER } from './shared/failed-claim.ts';
import type { Steps } from './shared/step.ts';

/** From the claim to the confirmed fiat. `endings.ts` has the claim that fails for the last time. */
export const FIAT_STEPS = {
  /** The LP has sent the fiat. */
  markFiatSent: {},

  /** The agent confirms that the fiat has arrived. */
  confirm: {},

  /** The LP's claim has failed and the order is open again. */
  reofferOrder: { ...FAILED_CLAIM, where: [...FAILED_CLAIM.where, MAY_REOFFER] },
} satisfies Steps;

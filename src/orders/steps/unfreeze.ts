import { CLAIM_DEADLINE } from './shared/deadline.ts';
import type { Step } from './shared/step.ts';

/** An admin lets the clock run again, with the time that was left. */
export const unfreeze: Step = {
  set: { expires_at: CLAIM_DEADLINE, frozen_ms: 'null' },
  hasRequestNote: true,
};

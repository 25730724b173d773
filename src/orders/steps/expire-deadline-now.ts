import { CLAIM_DEADLINE } from './shared/deadline.ts';
import type { Step } from './shared/step.ts';

/** In a sandbox, a party or an admin moves the deadline to this moment. */
export const expireDeadlineNow: Step = { set: { expires_at: CLAIM_DEADLINE }, hasRequestNote: true };

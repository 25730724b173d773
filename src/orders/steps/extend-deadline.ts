import { CLAIM_DEADLINE } from './shared/deadline.ts';
import type { Step } from './shared/step.ts';

/** An admin gives the stage more time. */
export const extendDeadline: Step = {
  set: { expires_at: CLAIM_DEADLINE },
  where: ['$deadlineAt::timestamptz > orders.timeout_at'],
  unmet: 'not_an_extension',
  hasRequestNote: true,
};

import { clockOf } from '../../db/incidents.ts';
import { CLAIM_DEADLINE } from './shared/deadline.ts';
import type { Step } from './shared/step.ts';

/** An admin gives the stage more time: also more than an incident, which has stopped the clock, has left it. */
export const extendDeadline: Step = {
  set: { expires_at: CLAIM_DEADLINE },
  where: [`$deadlineAt::timestamptz > orders.timeout_at + (now() - ${clockOf('orders')})`],
  unmet: 'not_an_extension',
  hasRequestNote: true,
};

import { DEADLINE_COUNTS } from './shared/deadline.ts';
import type { Step } from './shared/step.ts';

/** The order ends before any LP has claimed it. */
export const cancelUnclaimed: Step = {
  set: { cancelled_at: 'now()' },
  where: [DEADLINE_COUNTS],
  hasRequestNote: true,
};

import { LEFT_MS } from './shared/deadline.ts';
import type { Step } from './shared/step.ts';

/** An admin, or an LP that lost the order although it had paid, stops the clock. The row keeps the time that was left. */
export const freeze: Step = {
  set: { frozen_ms: `greatest(0, ${LEFT_MS})::bigint` },
  hasRequestNote: true,
};

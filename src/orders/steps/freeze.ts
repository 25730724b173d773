import type { Step } from './shared/step.ts';

/** An admin, or an LP that lost the order although it had paid, stops the clock. The row keeps the time that was left. */
export const freeze: Step = {
  set: { frozen_ms: 'greatest(0, extract(epoch from orders.timeout_at - now()) * 1000)::bigint' },
  hasRequestNote: true,
};

import { contestingLpOf } from '../../market/lps/lost-order.ts';
import { CLAIM_DEADLINE } from './shared/deadline.ts';
import { expectTrigger, type Step } from './shared/step.ts';

/**
 * An admin lets the clock run again, with the time that was left. An LP whose evidence was false gets a strike: it has kept the
 * order, and the collateral of its next LP, for nothing.
 */
export const unfreeze: Step = {
  set: { expires_at: CLAIM_DEADLINE, frozen_ms: 'null' },
  effects: [
    `strike as (
  insert into lp_strike (order_id, seq, lp_id)
  select after.id, after.version, contest.lp_id
  from after, lateral (${contestingLpOf('after.id')}) contest
  where $falseEvidence::boolean and contest.lp_id is not null
)`,
  ],
  parameters: (command) => ({ falseEvidence: expectTrigger(command, 'unfreeze').falseEvidence ?? false }),
  hasRequestNote: true,
};

import { clockOf } from '../../db/incidents.ts';
import { agentIsActive } from '../../db/revoked-agent.ts';
import { contestingLpOf } from '../../market/lps/lost-order.ts';
import { CLAIM_DEADLINE, LEFT_MS } from './shared/deadline.ts';
import { expectTrigger, type Steps } from './shared/step.ts';

/** The order keeps its status, and only its deadline changes. */
export const CLOCK_STEPS = {
  /** An admin gives the stage more time: also more than an incident, which has stopped the clock, has left it. */
  extendDeadline: {
    set: { expires_at: CLAIM_DEADLINE },
    where: [`$deadlineAt::timestamptz > orders.timeout_at + (now() - ${clockOf('orders')})`],
    unmet: 'not_an_extension',
    hasRequestNote: true,
  },

  /** In a sandbox, a party or an admin moves the deadline to this moment. */
  expireDeadlineNow: { set: { expires_at: CLAIM_DEADLINE }, hasRequestNote: true },

  /** An admin, or an LP that lost the order although it had paid, stops the clock. The row keeps the time that was left. */
  freeze: {
    set: { frozen_ms: `greatest(0, ${LEFT_MS})::bigint` },
    hasRequestNote: true,
  },

  /**
   * An admin lets the clock run again, with the time that was left. An LP whose evidence was false gets a strike: it has kept the
   * order, and the collateral of its next LP, for nothing.
   */
  unfreeze: {
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
  },

  /**
   * The agent's key is revoked, so nobody would confirm or pay the order. Its LP may have sent the fiat and not reported it yet:
   * once, the LP gets time for that, whatever was left of the stage. A receipt says that fiat may be on its way: then
   * the order keeps its deadline, after which an admin decides.
   */
  startRevocationGrace: {
    where: [
      `not ${agentIsActive('orders')}`,
      'orders.receipt_url is null',
      `not exists (select from order_event e where e.order_id = orders.id and e.cause = 'revoke')`,
    ],
    unmet: 'wrong_state',
    // The stage goes on, with a deadline of its own: see `DEADLINE`.
    parameters: (_, { revocationGrace }) => ({ keepsDeadline: false, deadlineInMs: revocationGrace }),
  },
} satisfies Steps;

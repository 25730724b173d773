import { clockOf, isStopped } from '../../../db/incidents.ts';
import { AWAY_SINCE } from '../../../db/outages.ts';

/**
 * The deadline of the stage that begins. It counts from the commit, so that waiting for a worker or for the database
 * takes no time from the party that acts next.
 */
export const DEADLINE = `case when $keepsDeadline then orders.timeout_at else coalesce(
      $deadlineAt::timestamptz,
      date_trunc('milliseconds', now())
        + coalesce($deadlineInMs::bigint, orders.stage_ms[$stage::int]) * interval '1 millisecond'
    ) end`;

/** When the deadline was last set: a deadline that the step keeps counts from where it did. */
export const DEADLINE_SET_AT = `case when $keepsDeadline then orders.deadline_set_at
      else date_trunc('milliseconds', now()) end`;

/** While an order is open, `expires_at` is its public claim deadline. */
export const CLAIM_DEADLINE = `case when orders.status = 'matched' then ${DEADLINE} else orders.expires_at end`;

/** Whether the service has been available without a gap, or has given back the time of the last one; see `shift-deadlines.ts`. */
export const IN_SERVICE = `${AWAY_SINCE} is null`;

/**
 * A deadline expires only when it has passed by the database's clock, because the workflow's clock may be ahead. It
 * also expires only if the parties could act until then. After an outage, `shift-deadlines.ts` moves it first, and after an
 * incident `close-incident.ts`.
 */
export const DEADLINE_COUNTS = `($cause <> 'deadline' or ${clockOf('orders')} >= orders.timeout_at and ${IN_SERVICE})`;

/** Whether a deadline that has passed by the database's clock may expire now. */
export const MAY_EXPIRE = `(${IN_SERVICE} and not ${isStopped('orders')})`;

/** Milliseconds that the order's clock still has to count. */
export const LEFT_MS = `extract(epoch from orders.timeout_at - ${clockOf('orders')}) * 1000`;

/** Milliseconds until the deadline, by the database's clock. Negative once it has passed, null if none runs. */
export const DUE_IN_MS = 'extract(epoch from orders.timeout_at - now())::float8 * 1000';

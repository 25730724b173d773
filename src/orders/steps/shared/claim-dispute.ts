import { STAGES } from '../../../domain/order-state.ts';

/**
 * SQL: whether the agent may dispute the claimed order `orders`. A dispute locks the LP's collateral until an admin
 * decides. So the LP first has `$disputeAfter` ms from its claim, or the duration of the fiat stage if that is shorter.
 */
export const MAY_DISPUTE_CLAIM = `now() >= (
      select max(e.created_at) from order_event e
      where e.order_id = orders.id and e.seq <= orders.version and e.from_status = 'matched' and e.status = 'claimed'
    ) + least($disputeAfter::bigint, orders.stage_ms[${STAGES.indexOf('fiat') + 1}]) * interval '1 millisecond'`;

/** SQL: why the agent may not dispute the claimed order. Null: it may, or the command is not such a dispute. */
export const CLAIM_DISPUTE_REFUSAL = `case
    when orders.status = 'claimed' and $cause = 'dispute' and not (${MAY_DISPUTE_CLAIM}) then 'dispute_too_early'
  end`;

import { agentIsActive } from '../../../db/revoked-agent.ts';
import { DEADLINE_COUNTS } from './deadline.ts';
import { expectTrigger, type Step } from './step.ts';

/**
 * An LP gets a strike when its time runs out. An LP that releases the order gets none if it claimed after `$freeSince`,
 * or if the service was unavailable or lost commits, so that the LP could not release it earlier. There is no strike once the agent's key is revoked.
 */
const DESERVES_STRIKE = `${agentIsActive('after')} and ($freeSince::timestamptz is null or (
    select bool_and(e.cause not in ('outage', 'lost-commits')) and min(e.created_at) <= $freeSince::timestamptz
    from order_event e
    where e.order_id = after.id and e.seq <= before.version and e.seq >= (
      select max(claimed.seq) from order_event claimed
      where claimed.order_id = after.id and claimed.from_status = 'matched' and claimed.status = 'claimed'
    )
  ))`;

/**
 * The claim has failed. The order loses its LP and its receipt, the LP's collateral becomes available again, and Corridor
 * no longer offers the order to that LP.
 */
export const FAILED_CLAIM = {
  set: {
    lp_id: 'null',
    lp_receive_address: 'null',
    destination_tag: 'null',
    collateral_locked: 'null',
    receipt_url: 'null',
    reoffers: 'orders.reoffers + 1',
    excluded_lp_ids: 'array_append(orders.excluded_lp_ids, orders.lp_id)',
  },
  where: [DEADLINE_COUNTS],
  posting: { lp: 'before.lp_id', also: 'before', amounts: { release: 'before.collateral_locked' } },
  effects: [
    `strike as (
  insert into lp_strike (order_id, seq, lp_id)
  select after.id, after.version, before.lp_id
  from after, before
  where ${DESERVES_STRIKE}
)`,
  ],
  parameters: (command) => {
    const { trigger, ...release } = expectTrigger(command, 'release', 'deadline');
    return { freeSince: 'freeSince' in release ? release.freeSince : null };
  },
  hasRequestNote: true,
} satisfies Step;

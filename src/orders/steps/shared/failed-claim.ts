import { standsStill } from '../../../db/incidents.ts';
import { agentIsActive } from '../../../db/revoked-agent.ts';
import type { Command } from '../../../domain/order-commands.ts';
import { FAILED_CLAIM as LIMIT } from '../../../domain/order-state.ts';
import { allHold, IS_FOR_TOKEN } from '../../../market/lps/may-claim.ts';
import { isOfferedUnder } from '../../../market/lps/serves-order.ts';
import { DEADLINE_COUNTS } from './deadline.ts';
import { expectTrigger, type Step, type StepSettings } from './step.ts';

/** The events of the LP's claim: from the claim on. */
const ofClaim = (order: string) => `e.order_id = ${order}.id and e.seq <= ${order}.version and e.seq >= (
      select max(claimed.seq) from order_event claimed
      where claimed.order_id = ${order}.id and claimed.from_status = 'matched' and claimed.status = 'claimed'
    )`;

/**
 * One row: whether the failed claim `counts` against the LP and the order. A `free` release follows soon after the
 * claim (after `$freeSince`), and an LP has only a few of them per day. A release is `excused` if the service was
 * unavailable or lost commits, because the LP could not release the order earlier, and if an incident stopped the clock of the
 * claim, because the LP could not pay. It is also `excused` while the clock still stands. Every failed claim is excused once
 * the agent's key is revoked.
 */
const failureOf = (order: string) => `
    select case
        when not ${agentIsActive(order)} then 'excused'
        when $freeSince::timestamptz is null then 'counts'
        when bool_or(e.cause in ('outage', 'incident', 'lost-commits')) or ${standsStill(order)} then 'excused'
        when min(e.created_at) > $freeSince::timestamptz and has_free_release(${order}.lp_id, $freeReleases::int) then 'free'
        else 'counts'
      end as kind
    from order_event e
    where ${ofClaim(order)}`;

/**
 * Another LP that sees the order as an offer and could be paid. It is approved, has an address for the token and terms
 * for the order, and has no failed claim on it. Its rate may have expired, as for every offer. Without such an LP
 * nobody would see the order, and the payer would only wait for one more claim deadline.
 */
const OTHER_LP = `exists (
      select from lp_term term
      join lp on lp.id = term.lp_id
      join lp_asset asset on asset.lp_id = lp.id and ${IS_FOR_TOKEN}
      where ${isOfferedUnder('term', 'orders')} and ${allHold('approved')}
        and lp.id <> orders.lp_id and lp.id <> all (orders.excluded_lp_ids)
    )`;

/**
 * The order may be offered again: not too many claims of it have failed, its agent's key is not revoked, and another LP
 * can take it. Before the order's first claim deadline, LPs may still publish terms, so no other LP is required.
 */
export const MAY_REOFFER = `${agentIsActive('orders')} and (now() < orders.expires_at or ${OTHER_LP})
    and (orders.reoffers < ${LIMIT.after} or failure.kind <> 'counts')`;

/**
 * SQL: why a release or a deadline did not end the claim as the workflow expected. Null: the workflow's expectation was
 * correct.
 */
export const FAILED_CLAIM_FINDING = `case when orders.status = 'claimed' and $cause in ('release', 'deadline') then (
    select case
      when orders.receipt_url is not null then case $cause when 'deadline' then 'receipt' else 'receipt_uploaded' end
      when not ${agentIsActive('orders')} then 'revoked'
      when not (${MAY_REOFFER}) then 'not_reofferable'
    end
    from (${failureOf('orders')}) failure
  ) end`;

/** The parameters of `failureOf`, for a release and for all other commands. */
export const failureParameters = (
  command: Command,
  { freeReleases }: Pick<StepSettings, 'freeReleases'>,
) => ({ freeSince: command.trigger === 'release' ? command.freeSince : null, freeReleases });

/**
 * The claim has failed. The order loses its LP, the LP's collateral becomes available again, and Corridor no longer
 * offers the order to that LP. With a receipt, fiat may have been sent, so an admin decides.
 */
export const FAILED_CLAIM = {
  reads: [
    `failure as materialized (
  select ended.kind from before, lateral (${failureOf('before')}
  ) ended
)`,
  ],
  from: 'failure',
  set: {
    lp_id: 'null',
    lp_receive_address: 'null',
    destination_tag: 'null',
    collateral_locked: 'null',
    float_reserved: 'null',
    claim_rate_usd: 'null',
    reoffers: `orders.reoffers + case failure.kind when 'counts' then 1 else 0 end`,
    excluded_lp_ids: 'array_append(orders.excluded_lp_ids, orders.lp_id)',
  },
  where: [DEADLINE_COUNTS, 'orders.receipt_url is null'],
  posting: { lp: 'before.lp_id', also: 'before', amounts: { release: 'before.collateral_locked' } },
  effects: [
    `strike as (
  insert into lp_strike (order_id, seq, lp_id)
  select after.id, after.version, before.lp_id from after, before, failure where failure.kind = 'counts'
)`,
    `free as (
  insert into free_release (order_id, seq, lp_id)
  select after.id, after.version, before.lp_id from after, before, failure where failure.kind = 'free'
)`,
  ],
  parameters: (command, settings) =>
    failureParameters(expectTrigger(command, 'release', 'deadline'), settings),
  hasRequestNote: true,
} satisfies Step;

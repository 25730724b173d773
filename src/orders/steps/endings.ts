import { agentIsActive } from '../../db/revoked-agent.ts';
import type { Command } from '../../domain/order-commands.ts';
import { freeTransactions, IS_INVALID, reserveTransactionOnce } from './shared/chain-transaction.ts';
import { MAY_DISPUTE_CLAIM } from './shared/claim-dispute.ts';
import { DEADLINE_COUNTS } from './shared/deadline.ts';
import { FAILED_CLAIM, MAY_REOFFER } from './shared/failed-claim.ts';
import { expectTrigger, type Step, type Steps } from './shared/step.ts';

/** An admin ends a dispute. `$slashUsd`: the part of the order's locked collateral that the LP loses. */
const RESOLUTION = {
  unmet: 'slash_too_high',
  parameters: (command: Command) => {
    const { slashUsd } = expectTrigger(command, 'resolve');
    return { slashUsd };
  },
  hasRequestNote: true,
} satisfies Step;

/** The order is cancelled, or an admin has to decide and does. `payment.ts` has the order that completes by itself. */
export const ENDING_STEPS = {
  /** The order ends before any LP has claimed it. */
  cancelUnclaimed: {
    set: { cancelled_at: 'now()' },
    where: [DEADLINE_COUNTS],
    hasRequestNote: true,
  },

  /**
   * The LP's claim has failed and the order ends: too many claims of it have failed, or no other LP can take it. After the revocation
   * of the agent's key no claim has failed: `cancelRevoked` ends the order.
   */
  cancelUnpaid: {
    ...FAILED_CLAIM,
    set: { ...FAILED_CLAIM.set, cancelled_at: 'now()' },
    where: [...FAILED_CLAIM.where, agentIsActive('orders'), `not (${MAY_REOFFER})`],
  },

  /**
   * The agent's key is revoked, so the agent can no longer confirm or settle the order, and the order ends. A claimed order ends
   * at its deadline, or when its LP releases it. The LP gets its collateral back and no strike, and stays on the row, so that
   * it can read the reason. A receipt says that fiat may be on its way: then an admin decides.
   */
  cancelRevoked: {
    set: {
      cancelled_at: 'now()',
      // So that a repeated release gets the same answer.
      excluded_lp_ids: `case $cause when 'release' then array_append(orders.excluded_lp_ids, orders.lp_id) else orders.excluded_lp_ids end`,
    },
    where: [
      `not ${agentIsActive('orders')}`,
      'orders.receipt_url is null',
      `(orders.status = 'matched' or $cause <> 'revoke')`,
      DEADLINE_COUNTS,
    ],
    unmet: 'wrong_state',
    posting: { also: 'before', amounts: { release: 'coalesce(before.collateral_locked, 0)' } },
  },

  /**
   * An admin has to decide. The collateral stays locked. The deadline of a claimed order leads here only with a receipt,
   * and an agent may dispute it only `DISPUTE_AFTER` after the claim. If too many invalid transactions led to the
   * dispute, the order keeps no reservation, as in `rejectTransaction`, but the row keeps the last hash for the admin.
   */
  openDispute: {
    where: [
      DEADLINE_COUNTS,
      `($cause <> 'invalid' or ${IS_INVALID})`,
      `(orders.status <> 'claimed' or $cause <> 'deadline' or orders.receipt_url is not null)`,
      `(orders.status <> 'claimed' or $cause <> 'dispute' or ${MAY_DISPUTE_CLAIM})`,
    ],
    unmet: 'no_verdict',
    effects: [freeTransactions(`$cause = 'invalid'`)],
    parameters: (_, { disputeAfter }) => ({ disputeAfter }),
    hasRequestNote: true,
  },

  /**
   * The dispute ends with the order completed. The slash must leave enough of the collateral for the fee. A transaction that
   * the chain has verified for the order stays reserved for it, and so is one that the admin names as the payment. What the
   * agent named last proves nothing: it may be the payment of another order.
   */
  resolveCompleted: {
    ...RESOLUTION,
    set: { completed_at: 'now()', slashed_usd: '$slashUsd' },
    where: ['$slashUsd::numeric + orders.fee_usd <= orders.collateral_locked'],
    posting: {
      amounts: {
        slash: 'after.slashed_usd',
        release: 'after.collateral_locked - after.slashed_usd',
        fee: 'after.fee_usd',
      },
    },
    effects: [reserveTransactionOnce('$txHash::varchar')],
    parameters: (command) => {
      const { slashUsd, txHash } = expectTrigger(command, 'resolve');
      return { slashUsd, txHash };
    },
  },

  /** The dispute ends with the order cancelled. The transaction that was reserved for the order becomes free to pay another. */
  resolveCancelled: {
    ...RESOLUTION,
    set: { cancelled_at: 'now()', slashed_usd: '$slashUsd' },
    where: ['$slashUsd::numeric <= orders.collateral_locked'],
    posting: {
      amounts: { slash: 'after.slashed_usd', release: 'after.collateral_locked - after.slashed_usd' },
    },
    effects: [freeTransactions()],
  },
} satisfies Steps;

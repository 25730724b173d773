import type { Command, Trigger } from './order-commands.ts';
import {
  CLOCKED,
  type Deadline,
  MAX_REPLACEMENTS,
  MISSED_DEADLINE,
  type OrderState,
  type OrderStatus,
  STATUS_FACTS,
  type StepName,
  TRANSITIONS,
} from './order-state.ts';
import { reasonOf, requireReason, type StatusReason } from './status-reasons.ts';

/** Decides what a command does to an order: the rules around the table. Pure, so that it runs in the workflow sandbox. */

export type RefusalCode =
  | 'order_not_claimable'
  | 'not_order_owner'
  | 'order_not_confirmed'
  | 'order_frozen'
  | 'not_an_extension'
  | 'nothing_to_verify'
  | 'transaction_rejected'
  | 'too_many_replacements'
  | 'wrong_state';

export type Decision =
  | { kind: 'apply'; step: StepName; to: OrderStatus }
  /** The command was carried out before: a retry gets the same answer as the first call. */
  | { kind: 'already' }
  | { kind: 'refuse'; code: RefusalCode };

export function decide(order: OrderState, command: Command): Decision {
  if (isRepeat(order, command)) return { kind: 'already' };
  const refuse = (code: RefusalCode): Decision => ({ kind: 'refuse', code });
  const { trigger } = command;
  const isClaim = trigger === 'claim' || trigger === 'autoClaim';
  if ('lpId' in command && !isClaim && !isOwner(order, command.lpId)) return refuse('not_order_owner');
  if (isClaim && (order.excludedLpIds.includes(command.lpId) || order.frozenMs !== null)) {
    return refuse('order_not_claimable');
  }
  const found = 'found' in command ? command.found : undefined;
  const transition = TRANSITIONS.find(
    (t) =>
      t.from === order.status &&
      t.trigger === trigger &&
      t.found === found &&
      (!('by' in command) || t.by.includes(command.by)) &&
      (trigger !== 'resolve' || t.to === command.outcome),
  );
  // A deadline or a verdict for an earlier version of the order is void.
  const outdated = 'version' in command && command.version !== order.version;
  if (!transition || outdated) return refuse(refusalFor(trigger));
  if (order.frozenMs !== null && trigger !== 'unfreeze') return refuse('order_frozen');
  if (trigger === 'retryVerification' && !command.txHash) return refuse('nothing_to_verify');
  if (trigger === 'extend' && !(order.timeoutAt && Date.parse(command.until) > Date.parse(order.timeoutAt))) {
    return refuse('not_an_extension');
  }
  // A late retry must not count as a second rejection.
  if (trigger === 'settle' && order.rejectedTxHashes.includes(command.txHash)) {
    return refuse('transaction_rejected');
  }
  if (transition.step === 'replaceTransaction' && order.replacements >= MAX_REPLACEMENTS) {
    return refuse('too_many_replacements');
  }
  const { escalation } = transition;
  const escalated = escalation && order[escalation.counter] >= escalation.after;
  const { step, to } = escalated ? escalation : transition;
  return { kind: 'apply', step, to };
}

/** The answer to a command that needs no transition. Throws if it needs one. */
export function answerTo(order: OrderState, command: Command): 'already' | RefusalCode {
  const decision = decide(order, command);
  if (decision.kind === 'already') return 'already';
  if (decision.kind === 'refuse') return decision.code;
  throw new Error(
    `The command ${command.trigger} in ${order.status} takes the step ${decision.step}, and no answer alone`,
  );
}

/** The deadline after a command has moved the order to `to`. If the stage continues, its deadline stays. */
export function deadlineAfter(order: OrderState, command: Command, to: OrderStatus): Deadline {
  if (command.trigger === 'extend') return { at: command.until };
  if (command.trigger === 'expireNow') return { inMs: 0 };
  if (command.trigger === 'freeze') return null;
  if (command.trigger === 'unfreeze') return { inMs: order.frozenMs ?? 0 };
  if (to === order.status) return 'kept';
  const { stage } = STATUS_FACTS[to];
  return stage && { stage };
}

/**
 * The reason for a move that the chain, the clock or a revoked key causes. Reasons that people write never reach
 * Temporal.
 */
export function reasonFor({ status }: Pick<OrderState, 'status'>, command: Command): StatusReason | null {
  if (command.trigger === 'invalid') return requireReason(command.reason, 'chain');
  if (command.trigger === 'verified') return command.note && requireReason(command.note, 'chain');
  if (command.trigger === 'revoke')
    return reasonOf(status === 'claimed' ? 'key_revoked_after_claim' : 'key_revoked');
  if ('found' in command && command.found === 'revoked') return reasonOf('key_revoked');
  const { stage } = STATUS_FACTS[status];
  if (command.trigger !== 'deadline' || !stage) return null;
  if (command.found === 'receipt') return reasonOf('receipt_without_report');
  const missed = MISSED_DEADLINE[stage];
  return missed === 'not_final' ? reasonOf(missed, { seen: command.seen }) : reasonOf(missed);
}

function isRepeat(order: OrderState, command: Command): boolean {
  const { status, lpId, txHash, timeoutAt, frozenMs, slashedUsd, excludedLpIds } = order;
  switch (command.trigger) {
    case 'claim':
    case 'autoClaim':
      return status === 'claimed' && lpId === command.lpId;
    case 'fiatSent':
      return lpId === command.lpId && FIAT_HAS_MOVED.includes(status);
    case 'confirm':
      return status === 'confirmed';
    case 'settle':
      return status === 'crypto_verify_pending' && txHash === command.txHash;
    case 'cancel':
    case 'revoke':
      return status === 'cancelled';
    case 'release':
      return excludedLpIds.includes(command.lpId);
    case 'dispute':
      return status === 'disputed' && (command.by === 'agent' || lpId === command.lpId);
    case 'resolve':
      return (
        status === command.outcome && slashedUsd !== null && Number(slashedUsd) === Number(command.slashUsd)
      );
    case 'extend':
      return timeoutAt === command.until;
    case 'freeze':
      return frozenMs !== null;
    case 'unfreeze':
      return frozenMs === null && CLOCKED.includes(status);
    default:
      return false;
  }
}

const FIAT_HAS_MOVED: readonly OrderStatus[] = [
  'fiat_sent',
  'confirmed',
  'crypto_verify_pending',
  'completed',
];

/** While the order is open, and if it ended unclaimed, `lpId` is only the quoted LP. */
const isOwner = ({ status, lpId }: OrderState, claimant: number): boolean =>
  lpId === claimant && status !== 'matched' && status !== 'cancelled';

function refusalFor(trigger: Trigger): RefusalCode {
  if (trigger === 'claim' || trigger === 'autoClaim') return 'order_not_claimable';
  if (trigger === 'settle') return 'order_not_confirmed';
  return 'wrong_state';
}

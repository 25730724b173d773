import type { ActorKind, Finding, Trigger } from '../../src/domain/order-commands.ts';
import type { StepRefusal } from '../../src/domain/order-steps.ts';
import type { ErrorCode } from '../../src/http/errors.ts';

const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
/** The time at which an escalation applies: `3rd time`, after the second. */
export const ordinalTimeAfter = (times: number): string =>
  `${times + 1}${SUFFIXES[ordinals.select(times + 1)] ?? 'th'} time`;

// The records below describe the code's names. They are total, so the compiler asks for each new name.

const ACTORS: Record<ActorKind, string> = { agent: 'agent', lp: 'LP', admin: 'admin', service: 'Corridor' };
export const actors = (by: readonly ActorKind[]): string => by.map((actor) => ACTORS[actor]).join(', ');

export const TRIGGERS: Record<Trigger, string> = {
  claim: 'an LP claims the order, which locks its collateral',
  autoClaim: 'Corridor claims the order for an LP that has auto-claim on',
  fiatSent: 'the LP reports that it sent the fiat',
  confirm: 'the agent confirms that the fiat arrived',
  settle: 'the agent names the transaction that pays the LP, or replaces one that is not on its chain',
  cancel: 'the agent or an admin cancels the order before an LP claims it',
  release: 'the LP returns the order, which releases its collateral',
  dispute: 'the agent or the LP reports a problem with the fiat',
  resolve: 'an admin resolves the dispute, and may slash the LP’s collateral',
  retryVerification: 'Corridor checks the transaction again, immediately',
  extend: 'the deadline moves to a later time',
  expireNow: 'the deadline expires now (in a sandbox only)',
  freeze: 'the order and its deadline stop',
  unfreeze: 'the order continues, with the remaining time',
  revoke:
    'the agent’s key is revoked: an unclaimed order ends, and the LP of a claimed one without a receipt has `REVOCATION_GRACE` to report fiat that it has sent',
  verified: 'the transaction is final on its chain and is the payment',
  invalid: 'the transaction is final on its chain and is not the payment, or it has paid something else',
  deadline: 'the deadline of the status expires',
};

/** The findings of steps in rows that the workflow does not have, as conditions of transitions. */
export const FINDING_WORDS: Record<Finding, { condition: string; label: string }> = {
  not_reofferable: {
    condition:
      'if it is the 3rd failed claim, or the first claim deadline has passed and no other LP can take the order',
    label: 'no more claims',
  },
  receipt: { condition: 'if the LP has uploaded a receipt', label: 'receipt uploaded' },
  revoked: {
    condition: 'if the agent’s key is revoked: the LP gets its collateral back and no strike',
    label: 'agent revoked',
  },
};

/** A claim has two more refusals, for the LP's state rather than the order's. */
type ClaimantRefusal = Extract<ErrorCode, 'lp_not_approved' | 'lp_cooling_down'>;
export type Refusal = StepRefusal | ClaimantRefusal;

export const REFUSALS: Record<Refusal, string> = {
  lp_not_approved: 'an LP that is suspended or not yet approved claims',
  lp_cooling_down: 'an LP claims during its cool-down after a strike',
  order_not_claimable:
    'another LP has claimed it, it is not open, it is frozen, its agent’s key is revoked, or this LP had a failed claim on it',
  not_order_owner: 'another LP owns the order',
  order_not_confirmed: 'the agent settles an order that is not `confirmed`',
  order_frozen: 'the order is frozen; only `unfreeze` moves it',
  not_an_extension: 'the new deadline is not later than the current one',
  nothing_to_verify: 'the order has no transaction',
  wrong_state: 'the status does not allow the command; the answer names the status',
  insufficient_collateral: 'the LP has less available collateral than the order locks',
  paused: 'an admin has paused claims in its currency, of its agent, or all, or an incident stops them',
  no_receive_address: 'the LP has no address for the order’s token',
  corridor_not_served: 'the LP has no terms for the order’s currency and method',
  outside_terms: 'the order’s amount is outside the LP’s terms or above its float',
  agent_exposure_exceeded: 'with it, the agent’s claimed orders would exceed the limit of its key',
  transaction_rejected: 'this transaction was found not to be the order’s payment',
  transaction_used: 'the transaction has paid another order, a deposit or a payout',
  not_replaceable:
    'the agent names another transaction, but the last check found the first one, or there was no check yet',
  too_many_replacements: 'the agent has replaced the transaction of this order too often',
  receipt_uploaded: 'the LP releases an order for which it has uploaded a receipt',
  dispute_too_early: 'the agent disputes a claimed order before the LP has had the time of `DISPUTE_AFTER`',
  slash_too_high: 'the slash, with the fee where one is due, exceeds the order’s collateral',
};

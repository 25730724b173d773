import type { ErrorCode } from '../../src/domain/errors.ts';
import type { Asker, Trigger } from '../../src/domain/order-commands.ts';
import type { StepRefusal } from '../../src/domain/steps.ts';

const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
/** `3rd time`, for what happens differently after the second. */
export const timeAfter = (times: number): string =>
  `${times + 1}${ENDINGS[ordinals.select(times + 1)] ?? 'th'} time`;

/** What the code calls by a name, in words. Whatever is new in the code is asked for here by the compiler. */

const ASKERS: Record<Asker, string> = { agent: 'agent', lp: 'LP', admin: 'admin', service: 'Corridor' };
export const askers = (by: readonly Asker[]): string => by.map((asker) => ASKERS[asker]).join(', ');

export const TRIGGERS: Record<Trigger, string> = {
  claim: 'an LP claims the order; a slice of its collateral is locked',
  autoClaim: 'the order is claimed for an LP that has auto-claim on',
  fiatSent: 'the LP says that it has sent the fiat',
  confirm: 'the agent confirms that the fiat has arrived',
  settle: 'the agent names the transaction that pays the LP',
  cancel: 'the order is called off before anybody has claimed it',
  release: 'the LP gives the order back; the slice is released',
  dispute: 'somebody says that something is wrong with the fiat',
  resolve: 'an admin ends the dispute, and may slash the LP’s slice',
  retryVerification: 'the transaction is looked for again, at once',
  extend: 'the deadline moves to a later time',
  advance: 'the deadline moves to this moment, and passes (in a sandbox alone)',
  freeze: 'the order and its clock stop',
  unfreeze: 'the order and its clock go on, with the time that was left',
  verified: 'the transaction is final on its chain, and is the payment',
  invalid: 'the transaction is final on its chain, and is not the payment',
  deadline: 'the deadline of the status passes',
};

/** A claim is refused for two more reasons, which are the LP's and not the order's. */
type ClaimantRefusal = Extract<ErrorCode, 'lp_not_approved' | 'lp_cooling_down'>;
export type Refusal = StepRefusal | ClaimantRefusal;

export const REFUSALS: Record<Refusal, string> = {
  lp_not_approved: 'an LP claims that waits for its approval or is suspended',
  lp_cooling_down: 'an LP claims that has had a strike not long ago',
  order_not_claimable:
    'somebody else has claimed it, it is not open, it is frozen, or this LP has let it down before',
  not_order_owner: 'another LP owns the order',
  order_not_confirmed: 'the agent settles an order that is not `confirmed`',
  order_frozen: 'an admin has frozen the order; only `unfreeze` moves it',
  not_an_extension: 'the new deadline is not later than the one that holds',
  nothing_to_verify: 'no transaction has been named',
  wrong_state: 'the status allows no such thing; the answer names it',
  insufficient_collateral: 'the LP has less free collateral than the order locks',
  no_receive_address: 'the LP has no address for the order’s token',
  transaction_rejected: 'the order’s own transaction of this hash was found not to be the payment',
  transaction_used: 'the transaction has paid another order or deposit',
  slash_too_high: 'the slash, with the fee where one is due, is more than the slice',
};

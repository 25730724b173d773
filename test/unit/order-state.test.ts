import { describe, expect, test } from '@jest/globals';
import {
  type Command,
  decide,
  ORDER_STATUSES,
  type OrderState,
  type OrderStatus,
  type Trigger,
} from '../../src/domain/order-state.ts';

const OWNER = 7;
const OTHER = 8;
const VERSION = 4;
const TRIGGERS = [
  'claim',
  'autoClaim',
  'fiatSent',
  'confirm',
  'settle',
  'verified',
  'invalid',
  'deadline',
] as const;

/** What the owner's or the agent's command does in each status; `step > status` or the refusal's code. */
const TABLE: Record<OrderStatus, Record<Trigger, string>> = {
  matched: {
    claim: 'claim > claimed',
    autoClaim: 'claim > claimed',
    fiatSent: 'not_order_owner',
    confirm: 'wrong_state',
    settle: 'order_not_confirmed',
    verified: 'wrong_state',
    invalid: 'wrong_state',
    deadline: 'cancelUnclaimed > cancelled',
  },
  claimed: {
    claim: 'already',
    autoClaim: 'already',
    fiatSent: 'markFiatSent > fiat_sent',
    confirm: 'wrong_state',
    settle: 'order_not_confirmed',
    verified: 'wrong_state',
    invalid: 'wrong_state',
    deadline: 'reofferOrder > matched',
  },
  fiat_sent: {
    claim: 'order_not_claimable',
    autoClaim: 'order_not_claimable',
    fiatSent: 'already',
    confirm: 'confirm > confirmed',
    settle: 'order_not_confirmed',
    verified: 'wrong_state',
    invalid: 'wrong_state',
    deadline: 'openDispute > disputed',
  },
  confirmed: {
    claim: 'order_not_claimable',
    autoClaim: 'order_not_claimable',
    fiatSent: 'already',
    confirm: 'already',
    settle: 'settle > crypto_verify_pending',
    verified: 'wrong_state',
    invalid: 'wrong_state',
    deadline: 'openDispute > disputed',
  },
  crypto_verify_pending: {
    claim: 'order_not_claimable',
    autoClaim: 'order_not_claimable',
    fiatSent: 'already',
    confirm: 'wrong_state',
    settle: 'already',
    verified: 'complete > completed',
    invalid: 'rejectTransaction > confirmed',
    deadline: 'openDispute > disputed',
  },
  completed: {
    claim: 'order_not_claimable',
    autoClaim: 'order_not_claimable',
    fiatSent: 'already',
    confirm: 'wrong_state',
    settle: 'already',
    verified: 'wrong_state',
    invalid: 'wrong_state',
    deadline: 'wrong_state',
  },
  cancelled: {
    claim: 'order_not_claimable',
    autoClaim: 'order_not_claimable',
    fiatSent: 'not_order_owner',
    confirm: 'wrong_state',
    settle: 'order_not_confirmed',
    verified: 'wrong_state',
    invalid: 'wrong_state',
    deadline: 'wrong_state',
  },
  disputed: {
    claim: 'order_not_claimable',
    autoClaim: 'order_not_claimable',
    fiatSent: 'wrong_state',
    confirm: 'wrong_state',
    settle: 'order_not_confirmed',
    verified: 'wrong_state',
    invalid: 'wrong_state',
    deadline: 'wrong_state',
  },
};

const order = (status: OrderStatus, changes: Partial<OrderState> = {}): OrderState =>
  Object.freeze({
    version: VERSION,
    status,
    lpId: OWNER,
    excludedLpIds: [],
    txHash: status === 'crypto_verify_pending' || status === 'completed' ? 'abcd' : null,
    reoffers: 0,
    rejections: 0,
    timeoutAt: null,
    ...changes,
  });

const claimBy = (lpId: number): Command => ({ trigger: 'claim', lpId, collateral: '10.00' });

const COMMANDS: Record<Trigger, Command> = {
  claim: claimBy(OWNER),
  autoClaim: { trigger: 'autoClaim', lpId: OWNER, collateral: '10.00' },
  fiatSent: { trigger: 'fiatSent', lpId: OWNER },
  confirm: { trigger: 'confirm' },
  settle: { trigger: 'settle', txHash: 'abcd', txHashGiven: '0xABCD' },
  verified: { trigger: 'verified', version: VERSION },
  invalid: { trigger: 'invalid', version: VERSION, reason: 'wrong amount' },
  deadline: { trigger: 'deadline', version: VERSION },
};

function answer(state: OrderState, command: Command): string {
  const decision = decide(state, command);
  if (decision.kind === 'apply') return `${decision.step} > ${decision.to}`;
  return decision.kind === 'refuse' ? decision.code : 'already';
}

describe('what a command does to an order', () => {
  test.each(ORDER_STATUSES)('is settled for every command while the order is %s', (status) => {
    const answers = TRIGGERS.map((trigger) => [trigger, answer(order(status), COMMANDS[trigger])]);
    expect(Object.fromEntries(answers)).toEqual(TABLE[status]);
  });

  test.each(ORDER_STATUSES)('never lets another LP report the fiat as sent (%s)', (status) => {
    expect(answer(order(status), { trigger: 'fiatSent', lpId: OTHER })).toBe('not_order_owner');
  });

  test('lets an LP other than the quoted one claim, but only while the order is matched', () => {
    const answers = ORDER_STATUSES.map((status) => answer(order(status), claimBy(OTHER)));
    const refused = Array(ORDER_STATUSES.length - 1).fill('order_not_claimable');
    expect(answers).toEqual(['claim > claimed', ...refused]);
  });

  test('does not let an LP that let the order down claim it again', () => {
    const state = order('matched', { lpId: OTHER, excludedLpIds: [3, OWNER] });
    expect(answer(state, COMMANDS.claim)).toBe('order_not_claimable');
    expect(answer(state, COMMANDS.autoClaim)).toBe('order_not_claimable');
    expect(answer(state, claimBy(OTHER))).toBe('claim > claimed');
  });

  test.each([VERSION - 1, VERSION + 1])(
    'leaves a verdict or deadline for version %d without effect',
    (version) => {
      const pending = order('crypto_verify_pending');
      expect(answer(pending, { trigger: 'verified', version })).toBe('wrong_state');
      expect(answer(pending, { trigger: 'invalid', version, reason: 'late' })).toBe('wrong_state');
      for (const status of ORDER_STATUSES) {
        expect(answer(order(status), { trigger: 'deadline', version })).toBe('wrong_state');
      }
    },
  );

  test('refuses to settle with a second transaction once one has been given', () => {
    const second: Command = { trigger: 'settle', txHash: 'ffff', txHashGiven: 'ffff' };
    expect(answer(order('crypto_verify_pending'), second)).toBe('order_not_confirmed');
    expect(answer(order('completed'), second)).toBe('order_not_confirmed');
    expect(answer(order('confirmed', { txHash: 'abcd' }), second)).toBe('settle > crypto_verify_pending');
  });

  test.each([
    ['claimed', 'deadline', 'reoffers', 'reofferOrder > matched', 'cancelUnpaid > cancelled'],
    [
      'crypto_verify_pending',
      'invalid',
      'rejections',
      'rejectTransaction > confirmed',
      'openDispute > disputed',
    ],
  ] as const)('escalates the third %s %s', (status, trigger, counter, usual, escalated) => {
    const answers = [0, 1, 2, 3].map((n) => answer(order(status, { [counter]: n }), COMMANDS[trigger]));
    expect(answers).toEqual([usual, usual, escalated, escalated]);
    const otherCounter = counter === 'reoffers' ? 'rejections' : 'reoffers';
    expect(answer(order(status, { [otherCounter]: 9 }), COMMANDS[trigger])).toBe(usual);
  });
});

import { describe, expect, test } from '@jest/globals';
import {
  type Command,
  FINDINGS,
  type Finding,
  OWN_TRIGGERS,
  SIGNAL_TRIGGERS,
  type Trigger,
} from '../../src/domain/order-commands.ts';
import { answerTo, deadlineAfter, decide, reasonFor } from '../../src/domain/order-decision.ts';
import {
  isSameMove,
  MISSED_DEADLINE,
  ORDER_STATUSES,
  type OrderState,
  type OrderStatus,
  STATUS_FACTS,
  TRANSITIONS,
} from '../../src/domain/order-state.ts';
import { reasonOf, reasonText } from '../../src/domain/status-reasons.ts';

const OWNER = 7;
const OTHER = 8;
const VERSION = 4;
const NOON = '2026-03-01T12:00:00.000Z';
const ONE = '2026-03-01T13:00:00.000Z';
const TRIGGERS = [...SIGNAL_TRIGGERS, ...OWN_TRIGGERS];

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
    cancel: 'cancelUnclaimed > cancelled',
    release: 'not_order_owner',
    dispute: 'wrong_state',
    resolve: 'wrong_state',
    retryVerification: 'wrong_state',
    extend: 'extendDeadline > matched',
    expireNow: 'expireDeadlineNow > matched',
    freeze: 'freeze > matched',
    unfreeze: 'already',
    revoke: 'cancelRevoked > cancelled',
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
    cancel: 'wrong_state',
    release: 'reofferOrder > matched',
    dispute: 'openDispute > disputed',
    resolve: 'wrong_state',
    retryVerification: 'wrong_state',
    extend: 'extendDeadline > claimed',
    expireNow: 'expireDeadlineNow > claimed',
    freeze: 'freeze > claimed',
    unfreeze: 'already',
    revoke: 'startRevocationGrace > claimed',
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
    cancel: 'wrong_state',
    release: 'wrong_state',
    dispute: 'openDispute > disputed',
    resolve: 'wrong_state',
    retryVerification: 'wrong_state',
    extend: 'extendDeadline > fiat_sent',
    expireNow: 'expireDeadlineNow > fiat_sent',
    freeze: 'freeze > fiat_sent',
    unfreeze: 'already',
    revoke: 'wrong_state',
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
    cancel: 'wrong_state',
    release: 'wrong_state',
    dispute: 'wrong_state',
    resolve: 'wrong_state',
    retryVerification: 'wrong_state',
    extend: 'extendDeadline > confirmed',
    expireNow: 'expireDeadlineNow > confirmed',
    freeze: 'freeze > confirmed',
    unfreeze: 'already',
    revoke: 'wrong_state',
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
    cancel: 'wrong_state',
    release: 'wrong_state',
    dispute: 'wrong_state',
    resolve: 'wrong_state',
    retryVerification: 'retryVerification > crypto_verify_pending',
    extend: 'extendDeadline > crypto_verify_pending',
    expireNow: 'expireDeadlineNow > crypto_verify_pending',
    freeze: 'freeze > crypto_verify_pending',
    unfreeze: 'already',
    revoke: 'wrong_state',
  },
  completed: {
    claim: 'order_not_claimable',
    autoClaim: 'order_not_claimable',
    fiatSent: 'already',
    confirm: 'wrong_state',
    settle: 'order_not_confirmed',
    verified: 'wrong_state',
    invalid: 'wrong_state',
    deadline: 'wrong_state',
    cancel: 'wrong_state',
    release: 'wrong_state',
    dispute: 'wrong_state',
    resolve: 'wrong_state',
    retryVerification: 'wrong_state',
    extend: 'wrong_state',
    expireNow: 'wrong_state',
    freeze: 'wrong_state',
    unfreeze: 'wrong_state',
    revoke: 'wrong_state',
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
    cancel: 'already',
    release: 'not_order_owner',
    dispute: 'wrong_state',
    resolve: 'wrong_state',
    retryVerification: 'wrong_state',
    extend: 'wrong_state',
    expireNow: 'wrong_state',
    freeze: 'wrong_state',
    unfreeze: 'wrong_state',
    revoke: 'already',
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
    cancel: 'wrong_state',
    release: 'wrong_state',
    dispute: 'already',
    resolve: 'resolveCompleted > completed',
    retryVerification: 'retryVerification > crypto_verify_pending',
    extend: 'wrong_state',
    expireNow: 'wrong_state',
    freeze: 'wrong_state',
    unfreeze: 'wrong_state',
    revoke: 'wrong_state',
  },
};

const order = (status: OrderStatus, changes: Partial<OrderState> = {}): OrderState =>
  Object.freeze({
    version: VERSION,
    status,
    lpId: OWNER,
    excludedLpIds: [],
    txHash: ['crypto_verify_pending', 'completed', 'disputed'].includes(status) ? 'abcd' : null,
    rejectedTxHashes: [],
    reoffers: 0,
    rejections: 0,
    replacements: 0,
    timeoutAt: STATUS_FACTS[status].stage && NOON,
    frozenMs: null,
    slashedUsd: null,
    ...changes,
  });

const claimBy = (lpId: number): Command => ({
  trigger: 'claim',
  lpId,
  validUntil: 'infinity',
});

const COMMANDS: Record<Trigger, Command> = {
  claim: claimBy(OWNER),
  autoClaim: { trigger: 'autoClaim', lpId: OWNER, validUntil: 'infinity' },
  fiatSent: { trigger: 'fiatSent', lpId: OWNER },
  confirm: { trigger: 'confirm' },
  settle: { trigger: 'settle', txHash: 'abcd', txHashGiven: '0xABCD' },
  cancel: { trigger: 'cancel', by: 'agent' },
  release: { trigger: 'release', lpId: OWNER, freeSince: NOON },
  dispute: { trigger: 'dispute', by: 'agent' },
  resolve: { trigger: 'resolve', outcome: 'completed', slashUsd: '1.00', txHash: 'abcd' },
  retryVerification: { trigger: 'retryVerification', txHash: 'abcd', txHashGiven: '0xABCD' },
  extend: { trigger: 'extend', until: ONE },
  expireNow: { trigger: 'expireNow', version: VERSION },
  freeze: { trigger: 'freeze' },
  unfreeze: { trigger: 'unfreeze' },
  revoke: { trigger: 'revoke' },
  verified: { trigger: 'verified', version: VERSION, note: null },
  invalid: { trigger: 'invalid', version: VERSION, reason: reasonOf('other_address') },
  deadline: { trigger: 'deadline', version: VERSION },
};

function answer(state: OrderState, command: Command): string {
  const decision = decide(state, command);
  if (decision.kind === 'apply') return `${decision.step} > ${decision.to}`;
  return decision.kind === 'refuse' ? decision.code : 'already';
}

describe('what a command does to an order', () => {
  test.each(ORDER_STATUSES)('has a result for every command while the order is %s', (status) => {
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

  test('does not let an LP with a failed claim claim the order again', () => {
    const state = order('matched', { lpId: OTHER, excludedLpIds: [3, OWNER] });
    expect(answer(state, COMMANDS.claim)).toBe('order_not_claimable');
    expect(answer(state, COMMANDS.autoClaim)).toBe('order_not_claimable');
    expect(answer(state, claimBy(OTHER))).toBe('claim > claimed');
  });

  test.each([VERSION - 1, VERSION + 1])(
    'leaves a verdict or deadline for version %d without effect',
    (version) => {
      const pending = order('crypto_verify_pending');
      expect(answer(pending, { trigger: 'verified', version, note: null })).toBe('wrong_state');
      expect(answer(pending, { trigger: 'invalid', version, reason: reasonOf('other_address') })).toBe(
        'wrong_state',
      );
      for (const status of ORDER_STATUSES) {
        expect(answer(order(status), { trigger: 'deadline', version })).toBe('wrong_state');
      }
    },
  );

  test('replaces a transaction five times, but not with a rejected one or after the order has ended', () => {
    const second: Command = { trigger: 'settle', txHash: 'ffff', txHashGiven: 'ffff' };
    const replaced = (replacements: number, rejectedTxHashes: string[] = []) =>
      answer(order('crypto_verify_pending', { replacements, rejectedTxHashes }), second);
    expect([0, 4, 5, 6].map((times) => replaced(times))).toEqual([
      ...Array(2).fill('replaceTransaction > crypto_verify_pending'),
      ...Array(2).fill('too_many_replacements'),
    ]);
    expect(replaced(0, ['ffff'])).toBe('transaction_rejected');
    expect(answer(order('crypto_verify_pending', { frozenMs: 1 }), second)).toBe('order_frozen');
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

  test('does not settle with a transaction that was found not to be the payment', () => {
    const state = order('confirmed', { rejectedTxHashes: ['abcd'], rejections: 1 });
    expect(answer(state, COMMANDS.settle)).toBe('transaction_rejected');
    const another: Command = { trigger: 'settle', txHash: 'ffff', txHashGiven: 'ffff' };
    expect(answer(state, another)).toBe('settle > crypto_verify_pending');
  });

  test('lets only the LP that owns an order dispute it, once the fiat is marked as sent', () => {
    const byLp = (lpId: number): Command => ({ trigger: 'dispute', by: 'lp', lpId });
    expect(answer(order('fiat_sent'), byLp(OWNER))).toBe('openDispute > disputed');
    expect(answer(order('claimed'), byLp(OWNER))).toBe('wrong_state');
    expect(answer(order('disputed'), byLp(OWNER))).toBe('already');
    for (const status of ORDER_STATUSES) expect(answer(order(status), byLp(OTHER))).toBe('not_order_owner');
  });

  test('lets only its LP release an order, and repeats the answer', () => {
    const byOther: Command = { trigger: 'release', lpId: OTHER, freeSince: NOON };
    expect(answer(order('claimed'), byOther)).toBe('not_order_owner');
    const released = order('matched', { lpId: null, excludedLpIds: [OWNER], reoffers: 1 });
    expect(answer(released, COMMANDS.release)).toBe('already');
  });

  test('cancels an order after a failed claim if no other LP can claim it', () => {
    for (const trigger of ['release', 'deadline'] as const) {
      const command = { ...COMMANDS[trigger], found: 'not_reofferable' } as Command;
      expect(answer(order('claimed'), command)).toBe('cancelUnpaid > cancelled');
    }
  });

  test('counts a release as a failed claim only if the database does', () => {
    for (const reoffers of [0, 2, 9])
      expect(answer(order('claimed', { reoffers }), COMMANDS.release)).toBe('reofferOrder > matched');
  });

  test('disputes a claimed order at its deadline if the LP has uploaded a receipt', () => {
    for (const reoffers of [0, 2]) {
      const command = { ...COMMANDS.deadline, found: 'receipt' } as Command;
      expect(answer(order('claimed', { reoffers }), command)).toBe('openDispute > disputed');
      expect(reasonFor(order('claimed'), command)?.code).toBe('receipt_without_report');
    }
  });

  test.each(ORDER_STATUSES)('moves by a step’s finding only after a failed claim (%s)', (status) => {
    const found = (trigger: 'release' | 'deadline', finding: Finding) =>
      answer(order(status), { ...COMMANDS[trigger], found: finding } as Command);
    expect(found('release', 'receipt')).toMatch(/^(wrong_state|not_order_owner)$/);
    if (status === 'claimed') return;
    for (const finding of FINDINGS) expect(found('deadline', finding)).toBe('wrong_state');
  });

  test('resolves a dispute as the admin says, once', () => {
    const cancelled: Command = { trigger: 'resolve', outcome: 'cancelled', slashUsd: '1.00', txHash: 'abcd' };
    expect(answer(order('disputed'), cancelled)).toBe('resolveCancelled > cancelled');
    const resolved = order('cancelled', { slashedUsd: '1.000000' });
    expect(answer(resolved, cancelled)).toBe('already');
    expect(answer(resolved, { ...cancelled, slashUsd: '2.00' })).toBe('wrong_state');
    expect(answer(resolved, COMMANDS.resolve)).toBe('wrong_state');
    expect(answer(order('cancelled'), cancelled)).toBe('wrong_state');
  });

  test('verifies the order’s transaction again, or the one that an admin names, but not without a transaction', () => {
    const other: Command = { trigger: 'retryVerification', txHash: 'ffff', txHashGiven: 'ffff' };
    const again = 'retryVerification > crypto_verify_pending';
    expect(answer(order('disputed'), other)).toBe(again);
    expect(answer(order('crypto_verify_pending'), other)).toBe(again);
    const none: Command = { ...other, txHash: '', txHashGiven: '' };
    expect(answer(order('disputed', { txHash: null }), none)).toBe('nothing_to_verify');
  });

  test('extends a deadline, and never shortens it', () => {
    const extend = (until: string): Command => ({ trigger: 'extend', until });
    expect(answer(order('claimed'), extend(NOON))).toBe('already');
    expect(answer(order('claimed'), extend('2026-03-01T11:59:59.999Z'))).toBe('not_an_extension');
    expect(answer(order('claimed'), extend('2026-03-01T12:00:00.001Z'))).toBe('extendDeadline > claimed');
  });

  test('lets only the intended deadline expire', () => {
    const later: Command = { trigger: 'expireNow', version: VERSION - 1 };
    expect(answer(order('claimed'), later)).toBe('wrong_state');
  });

  test.each(ORDER_STATUSES.filter((status) => STATUS_FACTS[status].stage !== null))(
    'moves a frozen order (%s) only by unfreezing it',
    (status) => {
      const frozen = order(status, { frozenMs: 5_000, timeoutAt: null, txHash: 'abcd' });
      const moving = TRIGGERS.filter((trigger) => answer(frozen, COMMANDS[trigger]).includes('>'));
      expect(moving).toEqual(['unfreeze']);
      expect(answer(frozen, COMMANDS.freeze)).toBe('already');
      const claims = answer(order('matched', { frozenMs: 1, timeoutAt: null }), claimBy(OTHER));
      expect(claims).toBe('order_not_claimable');
    },
  );
});

describe('the deadline after a command', () => {
  const deadline = deadlineAfter;

  test('is new when a stage begins, and stays otherwise', () => {
    expect(deadline(order('matched'), COMMANDS.claim, 'claimed')).toEqual({ stage: 'fiat' });
    const pending = order('crypto_verify_pending');
    expect(deadline(pending, COMMANDS.retryVerification, 'crypto_verify_pending')).toBe('kept');
    const disputed = order('disputed');
    expect(deadline(disputed, COMMANDS.retryVerification, 'crypto_verify_pending')).toEqual({
      stage: 'verify',
    });
    expect(deadline(disputed, COMMANDS.resolve, 'completed')).toBeNull();
  });

  test('is that of the stage, for every transition into a status', () => {
    for (const { from, trigger, step, to } of TRANSITIONS.filter(({ from, to }) => from !== to)) {
      const { stage } = STATUS_FACTS[to];
      expect([step, deadline(order(from), COMMANDS[trigger], to)]).toEqual([step, stage && { stage }]);
    }
  });

  test('is the one that an admin sets, and after a freeze as far away as before', () => {
    expect(deadline(order('claimed'), COMMANDS.extend, 'claimed')).toEqual({ at: ONE });
    expect(deadline(order('claimed'), COMMANDS.freeze, 'claimed')).toBeNull();
    expect(deadline(order('claimed'), COMMANDS.expireNow, 'claimed')).toEqual({ inMs: 0 });
    const frozen = order('claimed', { timeoutAt: null, frozenMs: 90_000 });
    expect(deadline(frozen, COMMANDS.unfreeze, 'claimed')).toEqual({ inMs: 90_000 });
  });
});

test('two states belong to the same transition if version and status agree', () => {
  const one = { version: 3, status: 'fiat_sent' } as const;
  expect(isSameMove(one, { ...one })).toBe(true);
  expect(isSameMove(one, { ...one, status: 'matched' })).toBe(false);
  expect(isSameMove(one, { ...one, version: 4 })).toBe(false);
});

test('a command gets an answer without a step only if it needs no step', () => {
  expect(answerTo(order('confirmed'), COMMANDS.confirm)).toBe('already');
  expect(answerTo(order('claimed'), COMMANDS.confirm)).toBe('wrong_state');
  expect(() => answerTo(order('fiat_sent'), COMMANDS.confirm)).toThrow(
    'The command confirm in fiat_sent takes the step confirm, and no answer alone',
  );
});

test('the reason of a transition comes from the chain, the deadline or the revocation, and never from a person', () => {
  const pending = order('crypto_verify_pending');
  const textFor = (...given: Parameters<typeof reasonFor>) => {
    const reason = reasonFor(...given);
    return reason && reasonText(reason);
  };
  const failed = reasonOf('transaction_failed', { failure: 'OUT_OF_ENERGY' });
  expect(reasonFor(pending, { trigger: 'invalid', version: 4, reason: failed })).toBe(failed);
  const late = reasonOf('paid_late', { at: '2026-03-02T09:00:00.001Z' });
  expect(reasonFor(pending, { trigger: 'verified', version: 4, note: late })).toBe(late);
  expect(textFor(order('claimed'), COMMANDS.revoke)).toMatch(/key was revoked\. If you have sent the fiat/);
  expect(textFor(order('matched'), COMMANDS.revoke)).toMatch(/key was revoked before any fiat/);
  const missed = { trigger: 'deadline', version: 4 } as const;
  const notFinal = 'The transaction was not final on its chain in time';
  expect(textFor(pending, missed)).toBe(notFinal);
  expect(textFor(pending, { ...missed, seen: '1 of 12' })).toBe(`${notFinal}: 1 of 12`);
  for (const [stage, code] of Object.entries(MISSED_DEADLINE)) {
    const status = ORDER_STATUSES.find((one) => STATUS_FACTS[one].stage === stage) as OrderStatus;
    expect(reasonFor(order(status), missed)?.code).toBe(code);
  }
  expect(reasonFor(order('disputed'), missed)).toBeNull();
  expect(reasonFor(order('claimed'), COMMANDS.release)).toBeNull();
});

test.each([{ code: 'note', values: { text: 'made up' } }, { code: 'nonsense', values: {} }, 'made up'])(
  'a verdict that came through Temporal with the reason %j is refused: no chain gives it',
  (forged) => {
    const pending = order('crypto_verify_pending');
    const reason = forged as unknown as ReturnType<typeof reasonOf<'other_address'>>;
    for (const command of [
      { trigger: 'invalid', version: 4, reason },
      { trigger: 'verified', version: 4, note: reason },
    ] as const)
      expect(() => reasonFor(pending, command)).toThrow('is no reason from chain');
  },
);

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Command, FINDINGS, OUTCOMES } from '../../src/domain/order-commands.ts';
import { deadlineAfter, decide } from '../../src/domain/order-decision.ts';
import {
  type Deadline,
  FAILED_CLAIM,
  isFinal,
  MAX_REPLACEMENTS,
  ORDER_STATUSES,
  type OrderState,
  type OrderStatus,
  STATUS_FACTS,
  TRANSITIONS,
} from '../../src/domain/order-state.ts';
import { reasonOf } from '../../src/domain/status-reasons.ts';

/** Every transition that an order may make, whatever happens. */
const MOVES = [
  'matched > claimed',
  'matched > cancelled',
  'claimed > fiat_sent',
  'claimed > matched',
  'claimed > cancelled',
  'claimed > disputed',
  'fiat_sent > confirmed',
  'fiat_sent > disputed',
  'confirmed > crypto_verify_pending',
  'confirmed > disputed',
  'crypto_verify_pending > completed',
  'crypto_verify_pending > confirmed',
  'crypto_verify_pending > disputed',
  'disputed > crypto_verify_pending',
  'disputed > completed',
  'disputed > cancelled',
  // An admin's commands on the deadline.
  'matched > matched',
  'claimed > claimed',
  'fiat_sent > fiat_sent',
  'confirmed > confirmed',
  'crypto_verify_pending > crypto_verify_pending',
];

const START: OrderState = {
  version: 1,
  status: 'matched',
  lpId: 1,
  excludedLpIds: [],
  txHash: null,
  rejectedTxHashes: [],
  reoffers: 0,
  rejections: 0,
  replacements: 0,
  timeoutAt: new Date(60_000).toISOString(),
  frozenMs: null,
  slashedUsd: null,
};
const DURATIONS = { claim: 60_000, fiat: 60_000, confirm: 60_000, settle: 60_000, verify: 60_000 };

/** A command that depends on the order, which is only known when the command arrives. */
type Ask = (order: OrderState) => Command;
const lpId = fc.integer({ min: 1, max: 3 });
const HASHES = Array.from({ length: 10 }, (_, n) => `hash${n}`);
const txHash = fc.constantFrom(...HASHES);
const age = fc.constantFrom(0, 0, 0, 1, -1);
/** Any command, most of which the order refuses. */
const anyAsk: fc.Arbitrary<Ask> = fc.oneof(
  lpId.map(
    (id): Ask =>
      () => ({ trigger: 'claim', lpId: id, validUntil: 'infinity' }),
  ),
  lpId.map(
    (id): Ask =>
      () => ({ trigger: 'autoClaim', lpId: id, validUntil: 'infinity' }),
  ),
  lpId.map(
    (id): Ask =>
      () => ({ trigger: 'fiatSent', lpId: id }),
  ),
  fc.constant<Ask>(() => ({ trigger: 'confirm' })),
  txHash.map(
    (hash): Ask =>
      () => ({ trigger: 'settle', txHash: hash, txHashGiven: hash }),
  ),
  fc.constantFrom('agent' as const, 'admin' as const).map(
    (by): Ask =>
      () => ({ trigger: 'cancel', by }),
  ),
  fc.record({ id: lpId, isLast: fc.boolean() }).map(
    ({ id, isLast }): Ask =>
      () => ({
        ...{ trigger: 'release', lpId: id, freeSince: '2026-03-01T12:00:00.000Z' },
        ...(isLast && { found: 'not_reofferable' }),
      }),
  ),
  fc.constant<Ask>(() => ({ trigger: 'dispute', by: 'agent' })),
  lpId.map(
    (id): Ask =>
      () => ({ trigger: 'dispute', by: 'lp', lpId: id }),
  ),
  fc.constantFrom(...OUTCOMES).map(
    (outcome): Ask =>
      () => ({ trigger: 'resolve', outcome, slashUsd: '1.00', txHash: null }),
  ),
  txHash.map(
    (hash): Ask =>
      () => ({ trigger: 'retryVerification', txHash: hash, txHashGiven: hash }),
  ),
  fc.integer({ min: 0, max: 200_000 }).map(
    (ms): Ask =>
      () => ({ trigger: 'extend', until: new Date(ms).toISOString() }),
  ),
  fc.constantFrom('freeze' as const, 'unfreeze' as const, 'revoke' as const).map(
    (trigger): Ask =>
      () => ({ trigger }),
  ),
  age.map(
    (n): Ask =>
      ({ version }) => ({ trigger: 'verified', version: version - n, note: null }),
  ),
  age.map(
    (n): Ask =>
      ({ version }) => ({ trigger: 'invalid', version: version - n, reason: reasonOf('other_address') }),
  ),
  age.map(
    (n): Ask =>
      ({ version }) => ({ trigger: 'expireNow', version: version - n }),
  ),
  fc.record({ n: age, found: fc.constantFrom(undefined, ...FINDINGS) }).map(
    ({ n, found }): Ask =>
      ({ version }) => ({ trigger: 'deadline', version: version - n, ...(found && { found }) }),
  ),
);

/**
 * A command that the order carries out in its status, so that a sequence of commands reaches the later statuses and the limits.
 * `choice`: from 0 to 9. `n`: of an LP or a transaction, from 0 to 9.
 */
function fittingCommand(order: OrderState, choice: number, n: number): Command {
  const { version, status, frozenMs } = order;
  const txHash = HASHES[n] ?? '';
  if (frozenMs !== null) return { trigger: 'unfreeze' };
  switch (status) {
    case 'matched':
      return { trigger: 'claim', lpId: n + 1, validUntil: 'infinity' };
    case 'claimed':
      return choice < 6 ? { trigger: 'fiatSent', lpId: order.lpId ?? 0 } : { trigger: 'deadline', version };
    case 'fiat_sent':
      return { trigger: 'confirm' };
    case 'confirmed':
      return { trigger: 'settle', txHash, txHashGiven: txHash };
    case 'crypto_verify_pending':
      if (choice === 0) return { trigger: 'verified', version, note: null };
      return choice < 4
        ? { trigger: 'invalid', version, reason: reasonOf('other_address') }
        : { trigger: 'settle', txHash, txHashGiven: txHash };
    case 'disputed':
      return choice < 5
        ? { trigger: 'retryVerification', txHash, txHashGiven: txHash }
        : { trigger: 'resolve', outcome: 'cancelled', slashUsd: '1.00', txHash: null };
    case 'completed':
    case 'cancelled':
      return { trigger: 'cancel', by: 'agent' };
  }
}
const digit = fc.nat({ max: 9 });
const fittingAsk = fc.tuple(digit, digit).map(
  ([choice, n]): Ask =>
    (order) =>
      fittingCommand(order, choice, n),
);
const ask = fc.oneof({ weight: 1, arbitrary: anyAsk }, { weight: 4, arbitrary: fittingAsk });

function endOf(deadline: Exclude<Deadline, 'kept' | null>): string {
  if ('at' in deadline) return deadline.at;
  return new Date('inMs' in deadline ? deadline.inMs : DURATIONS[deadline.stage]).toISOString();
}

/** The order after a command, as the steps write it. The same order if there was nothing to do. */
function carriedOut(state: OrderState, asked: Command): OrderState {
  // The step finds that the order cannot be offered again. Here, every release counts as a failed claim.
  const isLast = asked.trigger === 'release' && state.reoffers >= FAILED_CLAIM.after;
  const command: Command = isLast ? { ...asked, found: 'not_reofferable' } : asked;
  const decision = decide(state, command);
  if (decision.kind !== 'apply') return state;
  const deadline = deadlineAfter(state, command, decision.to);
  // As if all commands happened at the same moment.
  const timeoutAt = deadline === 'kept' ? state.timeoutAt : (deadline && endOf(deadline)) || null;
  const moved = { ...state, version: state.version + 1, status: decision.to, timeoutAt };
  if ('validUntil' in command) moved.lpId = command.lpId;
  if (command.trigger === 'settle' || command.trigger === 'retryVerification') moved.txHash = command.txHash;
  if (decision.step === 'replaceTransaction') moved.replacements += 1;
  if (decision.step === 'rejectTransaction') {
    moved.rejections += 1;
    moved.rejectedTxHashes = [...state.rejectedTxHashes, state.txHash ?? ''];
    moved.txHash = null;
  }
  if (command.trigger === 'freeze') moved.frozenMs = 1_000;
  if (command.trigger === 'unfreeze') moved.frozenMs = null;
  if (command.trigger === 'resolve') moved.slashedUsd = command.slashUsd;
  if (decision.step === 'reofferOrder' || decision.step === 'cancelUnpaid') {
    moved.reoffers += 1;
    moved.excludedLpIds = [...state.excludedLpIds, state.lpId ?? 0];
  }
  return moved;
}

function history(asks: Ask[]): OrderState[] {
  const states = [START];
  for (const make of asks) {
    const last = states.at(-1) ?? START;
    states.push(carriedOut(last, make(last)));
  }
  return states;
}

const sequences = fc.array(ask, { minLength: 1, maxLength: 60, size: 'max' });

describe('whatever commands arrive, in whatever order', () => {
  test('an order makes only permitted transitions', () => {
    fc.assert(
      fc.property(sequences, (asks) => {
        const states = history(asks);
        const moves = states.slice(1).flatMap((state, i) => {
          const before = states[i];
          return before && before.version !== state.version ? [`${before.status} > ${state.status}`] : [];
        });
        expect(moves.filter((move) => !MOVES.includes(move))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a completed or cancelled order stays as it is', () => {
    fc.assert(
      fc.property(fc.constantFrom<OrderStatus>('completed', 'cancelled'), sequences, (status, asks) => {
        const ended: OrderState = { ...START, status, timeoutAt: null };
        for (const make of asks) expect(carriedOut(ended, make(ended))).toBe(ended);
      }),
    );
  });

  test('an order is offered again at most twice and its transactions are rejected at most twice and replaced five times', () => {
    const most = { reoffers: 0, rejections: 0, replacements: 0 };
    fc.assert(
      fc.property(sequences, (asks) => {
        const last = history(asks).at(-1) ?? START;
        // The third reoffer cancels the order instead.
        expect(last.reoffers).toBeLessThanOrEqual(last.status === 'cancelled' ? 3 : 2);
        expect(last.rejections).toBeLessThanOrEqual(2);
        expect(last.replacements).toBeLessThanOrEqual(MAX_REPLACEMENTS);
        for (const name of ['reoffers', 'rejections', 'replacements'] as const)
          most[name] = Math.max(most[name], last[name]);
      }),
      { numRuns: 1_000 },
    );
    // Otherwise the test would not have tried the limits.
    expect(most).toEqual({ reoffers: 3, rejections: 2, replacements: MAX_REPLACEMENTS });
  });

  test('an order without any commands ends, or reaches an admin, by its deadlines alone', () => {
    fc.assert(
      fc.property(sequences, (asks) => {
        let state = history(asks).at(-1) ?? START;
        state = carriedOut(state, { trigger: 'unfreeze' });
        for (let i = 0; i < 10; i++)
          state = carriedOut(state, { trigger: 'deadline', version: state.version });
        expect(['completed', 'cancelled', 'disputed']).toContain(state.status);
      }),
    );
  });

  test('a command is not carried out twice', () => {
    fc.assert(
      fc.property(sequences, ask, (asks, make) => {
        const state = history(asks).at(-1) ?? START;
        const command = make(state);
        // An admin may retry the verification any number of times.
        fc.pre(command.trigger !== 'retryVerification');
        // Only the step knows that the LP has had its grace: see test/workflow/revocation.test.ts.
        fc.pre(command.trigger !== 'revoke' || state.status !== 'claimed');
        const once = carriedOut(state, command);
        expect(carriedOut(once, command)).toBe(once);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the table of transitions', () => {
  test('has one transition for each status, trigger and finding (and outcome, if an admin chooses it)', () => {
    const keys = TRANSITIONS.map(
      (t) => `${t.from} ${t.trigger} ${t.found} ${t.trigger === 'resolve' ? t.to : ''}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('leads to every status, and out of every status but completed and cancelled', () => {
    const entered = TRANSITIONS.flatMap((t) => [t.to, ...(t.escalation ? [t.escalation.to] : [])]);
    const left = new Set(TRANSITIONS.map((t) => t.from));
    expect(ORDER_STATUSES.filter((status) => !entered.includes(status))).toEqual([]);
    expect(ORDER_STATUSES.filter((status) => !left.has(status))).toEqual(['completed', 'cancelled']);
  });

  test.each(ORDER_STATUSES)('has a deadline for %s exactly if the status has a stage', (status) => {
    const hasDeadline = TRANSITIONS.some((t) => t.from === status && t.trigger === 'deadline');
    expect(hasDeadline).toBe(STATUS_FACTS[status].stage !== null);
    expect(hasDeadline).toBe(!isFinal(status) && status !== 'disputed');
  });
});

import type { SignalTrigger } from '../../src/domain/order-commands.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import { type Action, type Intention, pickAny } from './actions.ts';
import type { OrderSeen, View } from './view.ts';

const soon = () => new Date(Date.now() + 600_000).toISOString();

/** Commands that would help somebody in some status, each with the signal that carries it and its invented actor. */
const forged = (view: View, order: OrderSeen, hash: string): [SignalTrigger, string, object][] => {
  const lp = view.lps.find(({ isHonest }) => !isHonest)?.id ?? 0;
  const { version } = order;
  return [
    ['claim', `lp:${lp}`, { trigger: 'claim', lpId: lp, collateral: '0.01', validUntil: soon() }],
    ['fiatSent', `lp:${order.lpId}`, { trigger: 'fiatSent', lpId: order.lpId }],
    ['confirm', `agent:${order.agentKeyId}`, { trigger: 'confirm' }],
    ['settle', `agent:${order.agentKeyId}`, { trigger: 'settle', txHash: hash, txHashGiven: hash }],
    ['cancel', 'admin', { trigger: 'cancel', by: 'admin' }],
    ['resolve', 'admin', { trigger: 'resolve', outcome: 'completed', slashUsd: '1.00', txHash: null }],
    ['retryVerification', 'admin', { trigger: 'retryVerification', txHash: hash, txHashGiven: hash }],
    ['extend', 'admin', { trigger: 'extend', until: soon() }],
    ['expireNow', 'admin', { trigger: 'expireNow', version }],
    ['freeze', 'admin', { trigger: 'freeze' }],
    ['revoke', 'service', { trigger: 'revoke' }],
    // The workflow's own commands, under the name of a signal.
    ['confirm', 'service', { trigger: 'verified', version, note: null }],
    ['settle', 'service', { trigger: 'invalid', version, reason: 'made up' }],
    ['confirm', 'service', { trigger: 'deadline', version }],
  ];
};

const PAST = '2020-01-01T00:00:00.000Z';

/** States that would help somebody. */
const invented = (view: View, { version }: OrderSeen, hash: string): Partial<OrderState>[] => [
  { timeoutAt: PAST, reoffers: 2 },
  { lpId: view.lps.find(({ isHonest }) => !isHonest)?.id ?? 0 },
  { excludedLpIds: [], frozenMs: null },
  { rejections: 2, rejectedTxHashes: [], replacements: 0 },
  { status: 'confirmed' },
  { status: 'crypto_verify_pending', txHash: hash, timeoutAt: PAST },
  { status: 'disputed', timeoutAt: null },
  { version: version + 1, status: 'completed' },
];

/** Somebody who reaches Temporal and knows no secret, and clocks that are fast. */
export const INTRUDERS: Intention[] = [
  {
    what: 'an intruder sends a forged signal',
    weight: 6,
    choose: (random, view): Action | undefined => {
      const order = pickAny(random, view.live);
      const [draw, isSigned] = [random.next(), random.chance(0.5)];
      const hash = pickAny(random, view.transfers)?.hash ?? 'f'.repeat(64);
      if (!order) return undefined;
      const choices = forged(view, order, hash);
      const chosen = choices[Math.floor(draw * choices.length)];
      if (!chosen) return undefined;
      const [name, actor, command] = chosen;
      const secret = isSigned ? { secret: 'a-secret-that-is-guessed' } : {};
      return { kind: 'forge', order, name, actor, command, ...secret };
    },
  },
  {
    what: 'an intruder repeats genuine signals',
    weight: 1,
    choose: (random, view) => {
      const order = pickAny(random, view.live);
      const name = random.pick(['claim', 'fiatSent', 'confirm', 'settle', 'release'] as const);
      return order && { kind: 'repeat', order, name };
    },
  },
  {
    what: 'an intruder replaces a workflow',
    weight: 1.5,
    choose: (random, view) => {
      const order = pickAny(random, view.live);
      const [draw, hash] = [random.next(), pickAny(random, view.transfers)?.hash ?? 'f'.repeat(64)];
      if (!order) return undefined;
      const states = invented(view, order, hash);
      const made = states[Math.floor(draw * states.length)];
      return made && { kind: 'replaceWorkflow', order, made };
    },
  },
  {
    what: 'a deadline rings early',
    weight: 4,
    choose: (random, view) => {
      const order = pickAny(random, view.live);
      return order && { kind: 'ring', order };
    },
  },
];

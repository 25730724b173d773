import type { SignalTrigger } from '../../src/domain/order-commands.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import { type Action, type Intention, pickAny } from './actions.ts';
import type { OrderSeen, View } from './view.ts';

const soon = () => new Date(Date.now() + 600_000).toISOString();

/** Commands that would help an attacker in some status, each with its signal and a forged actor. */
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
    // The workflow's own commands, sent as another signal.
    ['confirm', 'service', { trigger: 'verified', version, note: null }],
    ['settle', 'service', { trigger: 'invalid', version, reason: 'made up' }],
    ['confirm', 'service', { trigger: 'deadline', version }],
  ];
};

const PAST = '2020-01-01T00:00:00.000Z';

/** Forged states that would help an attacker. */
const forgedStates = (view: View, { version }: OrderSeen, hash: string): Partial<OrderState>[] => [
  { timeoutAt: PAST, reoffers: 2 },
  { lpId: view.lps.find(({ isHonest }) => !isHonest)?.id ?? 0 },
  { excludedLpIds: [], frozenMs: null },
  { rejections: 2, rejectedTxHashes: [], replacements: 0 },
  { status: 'confirmed' },
  { status: 'crypto_verify_pending', txHash: hash, timeoutAt: PAST },
  { status: 'disputed', timeoutAt: null },
  { version: version + 1, status: 'completed' },
];

/** Attackers with access to Temporal but without secrets, and workers with fast clocks. */
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
    what: 'an intruder invents a later version of an order',
    weight: 3,
    choose: (random, view) => {
      const order = pickAny(random, view.live);
      return order && { kind: 'inventVersion', order };
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
      const states = forgedStates(view, order, hash);
      const forgedState = states[Math.floor(draw * states.length)];
      return forgedState && { kind: 'replaceWorkflow', order, forgedState };
    },
  },
  {
    what: 'a worker expires a deadline too early',
    weight: 4,
    choose: (random, view) => {
      const order = pickAny(random, view.live);
      return order && { kind: 'expireEarly', order };
    },
  },
];

/**
 * The order's state machine: one table, read by the workflow, the handlers, the documentation and the tests.
 * Pure, and free of imports, so that it runs in the workflow sandbox. Contract: "States and transitions".
 */

export const ORDER_STATUSES = [
  'matched',
  'claimed',
  'fiat_sent',
  'confirmed',
  'crypto_verify_pending',
  'completed',
  'cancelled',
  'disputed',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** An LP stands in for the order with its collateral, and the agent has not paid it yet. */
export const UNSETTLED_STATUSES = [
  'claimed',
  'fiat_sent',
  'confirmed',
  'crypto_verify_pending',
  'disputed',
] as const satisfies readonly OrderStatus[];

/** A stretch of an order's life with a deadline of its own; the name of its duration in the settings. */
export type Stage = 'claim' | 'fiat' | 'confirm' | 'settle' | 'verify';

/** Milliseconds an order may stay in each stage. Travels in the workflow's input, so that a change of settings does not touch running orders. */
export type StageDurations = Record<Stage, number>;

/** Who has to act next. */
export type WaitingFor = 'lp' | 'agent' | 'chain' | 'admin' | 'nobody';

/** Why an order moved when a stage's deadline passed; shown as its `status_reason`. */
export const MISSED_DEADLINE: Record<Stage, string> = {
  claim: 'No LP claimed the order in time',
  fiat: 'The LP did not send the fiat in time',
  confirm: 'The agent did not confirm the fiat in time',
  settle: 'The agent did not settle in time',
  verify: 'The transaction was not final on its chain in time',
};

/** What each status means for the clock and for the people around the order. */
export const STATUS_FACTS: Record<OrderStatus, { waitingFor: WaitingFor; stage: Stage | null }> = {
  matched: { waitingFor: 'lp', stage: 'claim' },
  claimed: { waitingFor: 'lp', stage: 'fiat' },
  fiat_sent: { waitingFor: 'agent', stage: 'confirm' },
  confirmed: { waitingFor: 'agent', stage: 'settle' },
  crypto_verify_pending: { waitingFor: 'chain', stage: 'verify' },
  completed: { waitingFor: 'nobody', stage: null },
  cancelled: { waitingFor: 'nobody', stage: null },
  disputed: { waitingFor: 'admin', stage: null },
};

export type Trigger =
  | 'claim'
  | 'autoClaim'
  | 'fiatSent'
  | 'confirm'
  | 'settle'
  | 'verified'
  | 'invalid'
  | 'deadline';

/** Names of the activities that carry a transition out; what an operator reads in the Temporal UI. */
export type StepName =
  | 'claim'
  | 'markFiatSent'
  | 'confirm'
  | 'settle'
  | 'complete'
  | 'rejectTransaction'
  | 'cancelUnclaimed'
  | 'reofferOrder'
  | 'cancelUnpaid'
  | 'openDispute';

export interface Transition {
  from: OrderStatus;
  trigger: Trigger;
  step: StepName;
  to: OrderStatus;
  /** When this counter of the order has reached `after`, `step` and `to` of this entry apply instead. */
  escalation?: { counter: 'reoffers' | 'rejections'; after: number; step: StepName; to: OrderStatus };
}

export const TRANSITIONS: readonly Transition[] = [
  { from: 'matched', trigger: 'claim', step: 'claim', to: 'claimed' },
  { from: 'matched', trigger: 'autoClaim', step: 'claim', to: 'claimed' },
  { from: 'matched', trigger: 'deadline', step: 'cancelUnclaimed', to: 'cancelled' },
  { from: 'claimed', trigger: 'fiatSent', step: 'markFiatSent', to: 'fiat_sent' },
  {
    from: 'claimed',
    trigger: 'deadline',
    step: 'reofferOrder',
    to: 'matched',
    escalation: { counter: 'reoffers', after: 2, step: 'cancelUnpaid', to: 'cancelled' },
  },
  { from: 'fiat_sent', trigger: 'confirm', step: 'confirm', to: 'confirmed' },
  { from: 'fiat_sent', trigger: 'deadline', step: 'openDispute', to: 'disputed' },
  { from: 'confirmed', trigger: 'settle', step: 'settle', to: 'crypto_verify_pending' },
  { from: 'confirmed', trigger: 'deadline', step: 'openDispute', to: 'disputed' },
  { from: 'crypto_verify_pending', trigger: 'verified', step: 'complete', to: 'completed' },
  {
    from: 'crypto_verify_pending',
    trigger: 'invalid',
    step: 'rejectTransaction',
    to: 'confirmed',
    escalation: { counter: 'rejections', after: 2, step: 'openDispute', to: 'disputed' },
  },
  { from: 'crypto_verify_pending', trigger: 'deadline', step: 'openDispute', to: 'disputed' },
];

/** What the workflow remembers of its order: enough to decide, nothing that must not appear in Temporal. */
export interface OrderState {
  /** Grows by one with each transition; the fencing token of every write. */
  version: number;
  status: OrderStatus;
  /** The LP quoted (while `matched`) or the owner (from `claimed` on). */
  lpId: number | null;
  /** LPs that let this order down and are not offered it again. */
  excludedLpIds: number[];
  /** The normalised settlement transaction, once given. */
  txHash: string | null;
  reoffers: number;
  rejections: number;
  /** ISO 8601; the current stage's deadline. */
  timeoutAt: string | null;
}

/**
 * Something that asks an order to move. Those from outside are signals; `autoClaim` and the last three come from the
 * workflow itself.
 */
export type Command =
  | { trigger: 'claim' | 'autoClaim'; lpId: number /** USD to lock, decimal string */; collateral: string }
  | { trigger: 'fiatSent'; lpId: number }
  | { trigger: 'confirm' }
  | { trigger: 'settle'; txHash: string /** as the agent wrote it */; txHashGiven: string }
  | { trigger: 'verified'; version: number }
  | { trigger: 'invalid'; version: number; reason: string }
  | { trigger: 'deadline'; version: number };

export type RefusalCode = 'order_not_claimable' | 'not_order_owner' | 'order_not_confirmed' | 'wrong_state';

export type Decision =
  | { kind: 'apply'; step: StepName; to: OrderStatus }
  /** The command has been carried out before: a retry is answered as the first call was. */
  | { kind: 'already' }
  | { kind: 'refuse'; code: RefusalCode };

export const isFinal = (status: OrderStatus): boolean => status === 'completed' || status === 'cancelled';

/** The single place where it is decided what a command does to an order. */
export function decide(order: OrderState, command: Command): Decision {
  if (isRepeat(order, command)) return { kind: 'already' };
  if (command.trigger === 'fiatSent' && !isOwner(order, command.lpId)) {
    return { kind: 'refuse', code: 'not_order_owner' };
  }
  if ('collateral' in command && order.excludedLpIds.includes(command.lpId)) {
    return { kind: 'refuse', code: 'order_not_claimable' };
  }
  const transition = TRANSITIONS.find((t) => t.from === order.status && t.trigger === command.trigger);
  // A deadline or a verdict that was meant for an earlier version of the order is void.
  const outdated = 'version' in command && command.version !== order.version;
  if (!transition || outdated) return { kind: 'refuse', code: refusalFor(command.trigger) };

  const { escalation } = transition;
  const escalated = escalation && order[escalation.counter] >= escalation.after;
  const { step, to } = escalated ? escalation : transition;
  return { kind: 'apply', step, to };
}

/** The deadline of the stage that begins when an order enters `status` at `nowMs`; null where no clock runs. */
export function deadlineOf(status: OrderStatus, nowMs: number, durations: StageDurations): string | null {
  const { stage } = STATUS_FACTS[status];
  return stage && new Date(nowMs + durations[stage]).toISOString();
}

function isRepeat(order: OrderState, command: Command): boolean {
  switch (command.trigger) {
    case 'claim':
    case 'autoClaim':
      return order.status === 'claimed' && order.lpId === command.lpId;
    case 'fiatSent':
      return order.lpId === command.lpId && FIAT_HAS_MOVED.includes(order.status);
    case 'confirm':
      return order.status === 'confirmed';
    case 'settle':
      return (
        (order.status === 'crypto_verify_pending' || order.status === 'completed') &&
        order.txHash === command.txHash
      );
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

/** While an order is open, and when it ended unclaimed, its LP is the one quoted and owns nothing. */
const isOwner = ({ status, lpId }: OrderState, asking: number): boolean =>
  lpId === asking && status !== 'matched' && status !== 'cancelled';

function refusalFor(trigger: Trigger): RefusalCode {
  if (trigger === 'claim' || trigger === 'autoClaim') return 'order_not_claimable';
  if (trigger === 'settle') return 'order_not_confirmed';
  return 'wrong_state';
}

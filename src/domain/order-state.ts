import type { Asker, Trigger } from './order-commands.ts';

/**
 * The order's state machine: one table, read by the workflow, the handlers, the documentation and the tests.
 * Pure, so that it runs in the workflow sandbox. Contract: "States and transitions".
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

/** Stretches of an order's life with a deadline of their own; the names of their durations in the settings. */
export const STAGES = ['claim', 'fiat', 'confirm', 'settle', 'verify'] as const;
export type Stage = (typeof STAGES)[number];

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

/** Statuses in which a clock runs. */
export const CLOCKED = ORDER_STATUSES.filter((status) => STATUS_FACTS[status].stage !== null);

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
  | 'openDispute'
  | 'resolveCompleted'
  | 'resolveCancelled'
  | 'retryVerification'
  | 'extendDeadline'
  | 'advanceDeadline'
  | 'freeze'
  | 'unfreeze';

export interface Transition {
  from: OrderStatus;
  trigger: Trigger;
  by: readonly Asker[];
  step: StepName;
  to: OrderStatus;
  /**
   * When this counter of the order has reached `after`, `step` and `to` of this entry apply instead; those of
   * `reoffers` also when there is nobody else to offer the order to.
   */
  escalation?: { counter: 'reoffers' | 'rejections'; after: number; step: StepName; to: OrderStatus };
}

/** An LP may let an order down twice; the third time it is cancelled. */
const LET_DOWN = { counter: 'reoffers', after: 2, step: 'cancelUnpaid', to: 'cancelled' } as const;
const REJECTED = { counter: 'rejections', after: 2, step: 'openDispute', to: 'disputed' } as const;
const lp = ['lp'] as const;
const agent = ['agent'] as const;
const admin = ['admin'] as const;
const service = ['service'] as const;

// biome-ignore format: a table, one line for each entry
export const TRANSITIONS: readonly Transition[] = [
  { from: 'matched', trigger: 'claim', by: lp, step: 'claim', to: 'claimed' },
  { from: 'matched', trigger: 'autoClaim', by: service, step: 'claim', to: 'claimed' },
  { from: 'matched', trigger: 'cancel', by: ['agent', 'admin'], step: 'cancelUnclaimed', to: 'cancelled' },
  { from: 'matched', trigger: 'deadline', by: service, step: 'cancelUnclaimed', to: 'cancelled' },
  { from: 'claimed', trigger: 'fiatSent', by: lp, step: 'markFiatSent', to: 'fiat_sent' },
  { from: 'claimed', trigger: 'release', by: lp, step: 'reofferOrder', to: 'matched', escalation: LET_DOWN },
  { from: 'claimed', trigger: 'deadline', by: service, step: 'reofferOrder', to: 'matched', escalation: LET_DOWN },
  { from: 'claimed', trigger: 'dispute', by: agent, step: 'openDispute', to: 'disputed' },
  { from: 'fiat_sent', trigger: 'confirm', by: agent, step: 'confirm', to: 'confirmed' },
  { from: 'fiat_sent', trigger: 'dispute', by: ['agent', 'lp'], step: 'openDispute', to: 'disputed' },
  { from: 'fiat_sent', trigger: 'deadline', by: service, step: 'openDispute', to: 'disputed' },
  { from: 'confirmed', trigger: 'settle', by: agent, step: 'settle', to: 'crypto_verify_pending' },
  { from: 'confirmed', trigger: 'deadline', by: service, step: 'openDispute', to: 'disputed' },
  { from: 'crypto_verify_pending', trigger: 'verified', by: service, step: 'complete', to: 'completed' },
  { from: 'crypto_verify_pending', trigger: 'invalid', by: service, step: 'rejectTransaction', to: 'confirmed', escalation: REJECTED },
  { from: 'crypto_verify_pending', trigger: 'deadline', by: service, step: 'openDispute', to: 'disputed' },
  { from: 'crypto_verify_pending', trigger: 'retryVerification', by: admin, step: 'retryVerification', to: 'crypto_verify_pending' },
  { from: 'disputed', trigger: 'retryVerification', by: admin, step: 'retryVerification', to: 'crypto_verify_pending' },
  { from: 'disputed', trigger: 'resolve', by: admin, step: 'resolveCompleted', to: 'completed' },
  { from: 'disputed', trigger: 'resolve', by: admin, step: 'resolveCancelled', to: 'cancelled' },
  // A hand on the clock, wherever one runs: an admin's, and to let it run out in a sandbox that of all parties.
  ...CLOCKED.flatMap((status): Transition[] => [
    { from: status, trigger: 'extend', by: admin, step: 'extendDeadline', to: status },
    { from: status, trigger: 'advance', by: ['agent', 'lp', 'admin'], step: 'advanceDeadline', to: status },
    { from: status, trigger: 'freeze', by: admin, step: 'freeze', to: status },
    { from: status, trigger: 'unfreeze', by: admin, step: 'unfreeze', to: status },
  ]),
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
  /** Transactions that were found not to be the payment, normalised. */
  rejectedTxHashes: string[];
  reoffers: number;
  rejections: number;
  /** ISO 8601; the current stage's deadline. Null where no clock runs. */
  timeoutAt: string | null;
  /** Milliseconds that the stage's clock had left when an admin stopped it; null while it is not stopped. */
  frozenMs: number | null;
  /** USD that an admin took of the LP's slice, decimal string; null unless a dispute was resolved. */
  slashedUsd: string | null;
}

export const isFinal = (status: OrderStatus): boolean => status === 'completed' || status === 'cancelled';

/** Whom an order waits for: a stopped clock only an admin sets going again. */
export const waitingFor = ({ status, frozenMs }: Pick<OrderState, 'status' | 'frozenMs'>): WaitingFor =>
  frozenMs === null ? STATUS_FACTS[status].waitingFor : 'admin';

/**
 * When a stage ends: at an instant (ISO 8601), or so many milliseconds after its step is committed, by the database's
 * clock; null where no clock runs.
 */
export type Deadline = { at: string } | { inMs: number } | null;

/** The deadline of the stage that begins when an order enters `status`. */
export function deadlineOf(status: OrderStatus, durations: StageDurations): Deadline {
  const { stage } = STATUS_FACTS[status];
  return stage && { inMs: durations[stage] };
}

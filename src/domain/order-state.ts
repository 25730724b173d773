import type { ActorKind, Finding, Trigger } from './order-commands.ts';
import type { ReasonFrom } from './status-reasons.ts';

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

/** The LP's collateral is locked for the order, and the agent has not paid the LP yet. */
export const UNSETTLED_STATUSES = [
  'claimed',
  'fiat_sent',
  'confirmed',
  'crypto_verify_pending',
  'disputed',
] as const satisfies readonly OrderStatus[];

/** The stages of an order's lifecycle that have a deadline. The settings use these names for the durations. */
export const STAGES = ['claim', 'fiat', 'confirm', 'settle', 'verify'] as const;
export type Stage = (typeof STAGES)[number];

/** Milliseconds for each stage. The order's row keeps them, so that new settings do not affect running orders. */
export type StageDurations = Record<Stage, number>;

/** The party that has to act next. */
export type WaitingFor = 'lp' | 'agent' | 'chain' | 'admin' | 'nobody';

/** Why an order moved when a stage's deadline passed. */
export const MISSED_DEADLINE = {
  claim: 'not_claimed',
  fiat: 'fiat_not_sent',
  confirm: 'not_confirmed',
  settle: 'not_settled',
  verify: 'not_final',
} as const satisfies Record<Stage, ReasonFrom<'deadline'>['code']>;

/** The party that has to act in each status, and the stage whose deadline runs. */
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

/** Statuses with a deadline. */
export const CLOCKED = ORDER_STATUSES.filter((status) => STATUS_FACTS[status].stage !== null);

/** One row of the table. */
interface Row {
  from: OrderStatus;
  trigger: Trigger;
  by: readonly ActorKind[];
  step: string;
  to: OrderStatus;
  /** The transition applies only if a step has found this in the rows. */
  found?: Finding;
  /** When this counter of the order has reached `after`, this `step` and `to` apply instead. */
  escalation?: typeof FAILED_CLAIM | typeof REJECTED;
}

/** After two failed claims the order is reoffered. The third cancels it. Free releases do not count. */
export const FAILED_CLAIM = { counter: 'reoffers', after: 2, step: 'cancelUnpaid', to: 'cancelled' } as const;
const REJECTED = { counter: 'rejections', after: 2, step: 'openDispute', to: 'disputed' } as const;
/** How often the agent may replace a mistyped transaction of one order. */
export const MAX_REPLACEMENTS = 5;
const lp = ['lp'] as const;
const agent = ['agent'] as const;
const admin = ['admin'] as const;
const service = ['service'] as const;

/**
 * The statuses in which an LP that lost the order, although it had paid, may stop it: the next LP has not reported fiat
 * yet.
 */
export const CONTESTABLE: readonly OrderStatus[] = ['matched', 'claimed'];

// biome-ignore format: a table, one line for each entry
const OF_STATUS = [
  { from: 'matched', trigger: 'claim', by: lp, step: 'claim', to: 'claimed' },
  { from: 'matched', trigger: 'autoClaim', by: service, step: 'claim', to: 'claimed' },
  { from: 'matched', trigger: 'cancel', by: ['agent', 'admin'], step: 'cancelUnclaimed', to: 'cancelled' },
  { from: 'matched', trigger: 'deadline', by: service, step: 'cancelUnclaimed', to: 'cancelled' },
  { from: 'matched', trigger: 'revoke', by: service, step: 'cancelRevoked', to: 'cancelled' },
  { from: 'claimed', trigger: 'fiatSent', by: lp, step: 'markFiatSent', to: 'fiat_sent' },
  // Only the database knows whether a release counts as a failed claim.
  { from: 'claimed', trigger: 'release', by: lp, step: 'reofferOrder', to: 'matched' },
  { from: 'claimed', trigger: 'release', by: lp, found: 'not_reofferable', step: 'cancelUnpaid', to: 'cancelled' },
  { from: 'claimed', trigger: 'deadline', by: service, step: 'reofferOrder', to: 'matched', escalation: FAILED_CLAIM },
  { from: 'claimed', trigger: 'deadline', by: service, found: 'not_reofferable', step: 'cancelUnpaid', to: 'cancelled' },
  { from: 'claimed', trigger: 'deadline', by: service, found: 'receipt', step: 'openDispute', to: 'disputed' },
  // Nobody would confirm or pay the order. The LP may have sent the fiat already, and gets time to say so.
  { from: 'claimed', trigger: 'revoke', by: service, step: 'startRevocationGrace', to: 'claimed' },
  { from: 'claimed', trigger: 'release', by: lp, found: 'revoked', step: 'cancelRevoked', to: 'cancelled' },
  { from: 'claimed', trigger: 'deadline', by: service, found: 'revoked', step: 'cancelRevoked', to: 'cancelled' },
  { from: 'claimed', trigger: 'dispute', by: agent, step: 'openDispute', to: 'disputed' },
  { from: 'fiat_sent', trigger: 'confirm', by: agent, step: 'confirm', to: 'confirmed' },
  { from: 'fiat_sent', trigger: 'dispute', by: ['agent', 'lp'], step: 'openDispute', to: 'disputed' },
  { from: 'fiat_sent', trigger: 'deadline', by: service, step: 'openDispute', to: 'disputed' },
  { from: 'confirmed', trigger: 'settle', by: agent, step: 'settle', to: 'crypto_verify_pending' },
  { from: 'confirmed', trigger: 'deadline', by: service, step: 'openDispute', to: 'disputed' },
  { from: 'crypto_verify_pending', trigger: 'settle', by: agent, step: 'replaceTransaction', to: 'crypto_verify_pending' },
  { from: 'crypto_verify_pending', trigger: 'verified', by: service, step: 'complete', to: 'completed' },
  { from: 'crypto_verify_pending', trigger: 'invalid', by: service, step: 'rejectTransaction', to: 'confirmed', escalation: REJECTED },
  { from: 'crypto_verify_pending', trigger: 'deadline', by: service, step: 'openDispute', to: 'disputed' },
  { from: 'crypto_verify_pending', trigger: 'retryVerification', by: admin, step: 'retryVerification', to: 'crypto_verify_pending' },
  { from: 'disputed', trigger: 'retryVerification', by: admin, step: 'retryVerification', to: 'crypto_verify_pending' },
  { from: 'disputed', trigger: 'resolve', by: admin, step: 'resolveCompleted', to: 'completed' },
  { from: 'disputed', trigger: 'resolve', by: admin, step: 'resolveCancelled', to: 'cancelled' },
] as const satisfies readonly Row[];

/** Commands on the deadline itself, in every status that has one. In a sandbox every party may expire it. */
// biome-ignore format: a table, one line for each entry
const onDeadline = (status: OrderStatus) => [
  { from: status, trigger: 'extend', by: admin, step: 'extendDeadline', to: status },
  { from: status, trigger: 'expireNow', by: ['agent', 'lp', 'admin'], step: 'expireDeadlineNow', to: status },
  { from: status, trigger: 'freeze', by: CONTESTABLE.includes(status) ? ['admin', 'lp'] : admin, step: 'freeze', to: status },
  { from: status, trigger: 'unfreeze', by: admin, step: 'unfreeze', to: status },
] as const satisfies readonly Row[];

/** The activity that carries out a transition. Operators read these names in the Temporal UI. */
export type StepName = (typeof OF_STATUS)[number]['step'] | ReturnType<typeof onDeadline>[number]['step'];

export interface Transition extends Row {
  step: StepName;
}

export const TRANSITIONS: readonly Transition[] = [...OF_STATUS, ...CLOCKED.flatMap(onDeadline)];

/**
 * The part of the order's row that decisions need. The workflow keeps it, so it contains nothing that Temporal must not
 * see.
 */
export interface OrderState {
  /** Increases by one with each transition. Every write names it as its fencing token. */
  version: number;
  status: OrderStatus;
  /** The LP quoted (while `matched`) or the owner (from `claimed` on). */
  lpId: number | null;
  /** LPs with a failed claim of this order. They are not offered it again. */
  excludedLpIds: number[];
  /** The settlement transaction, normalised. Null until the agent names one. */
  txHash: string | null;
  /** Transactions that turned out not to be the payment, normalised. */
  rejectedTxHashes: string[];
  reoffers: number;
  rejections: number;
  /** How often the agent has replaced a transaction that was not on its chain. */
  replacements: number;
  /** The current stage's deadline, ISO 8601. Null if no deadline runs. */
  timeoutAt: string | null;
  /** Milliseconds that the stage had left when an admin froze the order. Null unless the order is frozen. */
  frozenMs: number | null;
  /** USD of the LP's collateral that an admin slashed, decimal string. Null unless a dispute was resolved. */
  slashedUsd: string | null;
}

/** Whether both are the state after the same transition. After a failover, two histories can share a version. */
export const isSameMove = (
  one: Pick<OrderState, 'version' | 'status'>,
  other: Pick<OrderState, 'version' | 'status'>,
): boolean => one.version === other.version && one.status === other.status;

export const isFinal = (status: OrderStatus): boolean => status === 'completed' || status === 'cancelled';

/** The party that an order waits for. Only an admin can unfreeze a frozen order. */
export const waitingFor = ({ status, frozenMs }: Pick<OrderState, 'status' | 'frozenMs'>): WaitingFor =>
  frozenMs === null ? STATUS_FACTS[status].waitingFor : 'admin';

/**
 * When the present stage ends: as before, at an instant (ISO 8601), this many milliseconds after the commit of the
 * step, or after the row's duration for a stage. The database's clock counts. Null if no deadline runs.
 */
export type Deadline = 'kept' | { at: string } | { inMs: number } | { stage: Stage } | null;

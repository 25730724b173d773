import { type CommandRequest, FINDINGS, type Finding, type Notice } from './order-commands.ts';
import type { RefusalCode } from './order-decision.ts';
import type { OrderState, StepName } from './order-state.ts';
import type { TraceContext } from './trace-context.ts';

/** The input of the activity that carries out a transition. It travels through Temporal: ids and amounts only. */
export interface StepInput extends CommandRequest, TraceContext {
  orderId: number;
  /**
   * The order as the workflow knows it. The activity decides from it. The step does nothing unless the row is in
   * exactly this state: the order may have moved, and anybody who reaches Temporal may have forged the state.
   */
  state: OrderState;
}

/** Why a step is refused. Only the database can find the reasons that are not in `RefusalCode`. */
export type StepRefusal =
  | RefusalCode
  | 'insufficient_collateral'
  | 'no_receive_address'
  | 'corridor_not_served'
  | 'outside_terms'
  | 'lp_not_approved'
  | 'lp_cooling_down'
  | 'paused'
  | 'agent_exposure_exceeded'
  | 'transaction_used'
  | 'not_replaceable'
  | 'receipt_uploaded'
  | 'dispute_too_early'
  | 'slash_too_high';

/** The order is at another version than the command is for. The API sends it again, or asks the caller to look again. */
export type OrderMoved = 'order_moved';

/**
 * The step did nothing and recorded nothing, so that the workflow decides again.
 * `stale`: the order was not in the expected state.
 * `not_reofferable`, `receipt`: see `Finding`.
 * `not_yet`: the deadline has not passed by the database's clock.
 * `clock_stopped`: the service was unavailable, or an incident stops the order's clock, and the deadline does not expire until
 * it has been moved.
 * `unsigned`: the command has no valid signature, so Corridor has not sent it.
 * `no_verdict`: the database has no such verdict of the chain on the order's transaction.
 */
const UNDECIDED = ['stale', ...FINDINGS, 'not_yet', 'clock_stopped', 'no_verdict', 'unsigned'] as const;
export type Undecided = (typeof UNDECIDED)[number];
export const isUndecided = (result: StepResult): result is Undecided =>
  UNDECIDED.some((undecided) => undecided === result);

export const isFinding = (result: StepResult): result is Finding =>
  FINDINGS.some((finding) => finding === result);

export type StepResult = 'applied' | 'already' | StepRefusal | OrderMoved | Undecided;

/** The result of a step, and the order's state after it. */
export interface StepReport {
  result: StepResult;
  state: OrderState;
  /**
   * Sequence number of the webhook that this transition owes to the agent. Null: the status has not changed, or the step has
   * delivered it.
   */
  webhook: number | null;
  /** The step that the same activity has taken after this one: it has verified the payment at once. */
  followUp?: StepReport & { step: StepName };
  /**
   * All webhooks that the order owes, oldest first. Set if this run of the step did not move the row. The workflow may then
   * have missed some: Temporal may have lost a workflow task that carried out this step and later ones.
   */
  owed?: number[];
  /** Milliseconds until the deadline passes, by the database's clock. Set if the result is `not_yet`. */
  dueInMs?: number;
}

/** Requests that need no transition in this state of the order: repeats and refusals. */
export interface AnswersInput extends TraceContext, Pick<StepInput, 'orderId' | 'state'> {
  requests: (CommandRequest & Pick<TraceContext, 'trace'>)[];
}

/** Notices that have arrived at an order's workflow. Anybody who reaches Temporal may have sent them. */
export interface NoticesInput extends TraceContext, Pick<StepInput, 'orderId' | 'state'> {
  notices: CommandRequest<Notice>[];
}

export interface NoticeActivities {
  /**
   * `accepted`: for each notice, whether Corridor has signed it. `row`: the state of the order's row, if a signed
   * notice is a `refresh`.
   */
  acceptNotices: (input: NoticesInput) => Promise<{ accepted: boolean[]; row: StepReport | null }>;
}

export type StepActivities = Record<StepName, (input: StepInput) => Promise<StepReport>> & {
  /** Returns null on success. Returns the row if it is in another state; then nothing was answered. */
  answer: (input: AnswersInput) => Promise<StepReport | null>;
};

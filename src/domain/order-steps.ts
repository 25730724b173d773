import type { Command } from './order-commands.ts';
import type { RefusalCode } from './order-decision.ts';
import type { Deadline, OrderState, OrderStatus, StepName } from './order-state.ts';
import type { TraceContext } from './trace-context.ts';

/** The input of the activity that carries out a transition. It travels through Temporal: ids and amounts only. */
export interface StepInput extends TraceContext {
  orderId: number;
  /** The version of the order that the decision is based on. The step does nothing at any other version. */
  version: number;
  /**
   * The status that the order leaves. The step does nothing in any other status: after a failover that lost commits, the
   * row can have the same version with another status.
   */
  from: OrderStatus;
  /** The step records its outcome under this id, and is carried out once for it. */
  requestId: string;
  to: OrderStatus;
  /** The deadline of the stage that begins. */
  deadline: Deadline;
  /** `agent:3`, `lp:7`, `admin` or `service`. */
  actor: string;
  command: Command;
  /** By the API. The workflow's own commands have none. */
  signature?: string | undefined;
  reason: string | null;
}

/** Why a step is refused. Only the database can find the reasons that are not in `RefusalCode`. */
export type StepRefusal =
  | RefusalCode
  | 'insufficient_collateral'
  | 'no_receive_address'
  | 'lp_not_approved'
  | 'lp_cooling_down'
  | 'paused'
  | 'agent_exposure_exceeded'
  | 'transaction_used'
  | 'not_replaceable'
  | 'slash_too_high';

/**
 * The step did nothing and recorded nothing, so that the workflow decides again.
 * `stale`: the order was not at the expected version, or not in the status that the step leaves.
 * `nobody_else`: there is no other LP to offer it to.
 * `not_yet`: the deadline has not passed by the database's clock.
 * `out_of_service`: the service was unavailable, and no deadline expires until the service has shifted it.
 * `unsigned`: the command has no valid signature, so Corridor has not sent it.
 * `no_verdict`: the database has no such verdict of the chain on the order's transaction.
 */
const UNDECIDED = ['stale', 'nobody_else', 'not_yet', 'out_of_service', 'no_verdict', 'unsigned'] as const;
export type Undecided = (typeof UNDECIDED)[number];
export const isUndecided = (result: StepResult): result is Undecided =>
  UNDECIDED.some((undecided) => undecided === result);

export type StepResult = 'applied' | 'already' | StepRefusal | Undecided;

/** The result of a step, and the order's state after it. */
export interface StepReport {
  result: StepResult;
  state: OrderState;
  /** Sequence number of the webhook that this transition owes to the agent. Null unless the status has changed. */
  webhook: number | null;
  /**
   * All webhooks that the order owes, oldest first. Set if this run of the step did not move the row. The workflow may then
   * have missed some: Temporal may have lost a workflow task that carried out this step and later ones.
   */
  owed?: number[];
  /** Milliseconds until the deadline passes, by the database's clock. Set if the result is `not_yet`. */
  dueInMs?: number;
}

/** The answer to a request that needs no transition: a repeat or a refusal. */
export interface RequestAnswer
  extends Pick<StepInput, 'requestId' | 'actor' | 'command' | 'signature' | 'trace'> {
  result: 'already' | StepRefusal;
}

/** Answers that are based on the same state of an order. */
export interface AnswersInput extends TraceContext, Pick<StepInput, 'orderId' | 'version' | 'from'> {
  answers: RequestAnswer[];
}

export type StepActivities = Record<StepName, (input: StepInput) => Promise<StepReport>> & {
  /** Returns null, or the row that the answers do not fit: then none was recorded. */
  answer: (input: AnswersInput) => Promise<StepReport | null>;
};

import type { Command } from './order-commands.ts';
import type { RefusalCode } from './order-decision.ts';
import type { Deadline, OrderState, OrderStatus, StepName } from './order-state.ts';
import type { Traced } from './traced.ts';

/** What the workflow hands to the activity that carries out a transition. Travels through Temporal: ids and amounts only. */
export interface StepInput extends Traced {
  orderId: number;
  /** The version of the order that was decided upon; the step does nothing to any other. */
  version: number;
  /** Names this request; its outcome is recorded under it, and it is carried out once. */
  requestId: string;
  to: OrderStatus;
  /** Deadline of the stage that begins. */
  deadline: Deadline;
  /** `agent:3`, `lp:7`, `admin` or `service`. */
  actor: string;
  command: Command;
  reason: string | null;
}

/** Reasons that only the database can see. */
export type StepRefusal =
  | RefusalCode
  | 'insufficient_collateral'
  | 'no_receive_address'
  | 'transaction_used'
  | 'slash_too_high';

/**
 * Reasons for which nothing was done and nothing recorded, so that the workflow decides again.
 * `stale`: the order was not at the expected version. `nobody_else`: there is no other LP to offer it to.
 * `out_of_service`: the service has been away, and a deadline does not pass before that is made up for.
 */
const UNDECIDED = ['stale', 'nobody_else', 'out_of_service'] as const;
export type Undecided = (typeof UNDECIDED)[number];
export const isUndecided = (result: StepResult): result is Undecided =>
  UNDECIDED.some((undecided) => undecided === result);

export type StepResult = 'applied' | 'already' | StepRefusal | Undecided;

/** What a step did, and the order as it stands now. */
export interface StepReport {
  result: StepResult;
  state: OrderState;
  /** Number of the webhook that this transition owes to the agent, or null. Only a new status owes one. */
  webhook: number | null;
  /**
   * All that the order owes, oldest first, where the workflow may have missed some of it: the row was not moved just
   * now, and may have come further than this step in a workflow task that was lost.
   */
  owed?: number[];
}

/** An answer that needs no transition: a repeat, or a refusal. */
export interface RequestAnswer extends Pick<Traced, 'trace'> {
  requestId: string;
  result: 'already' | StepRefusal;
}

/** Answers that were decided upon the same state of an order. */
export interface AnswersInput extends Traced {
  orderId: number;
  answers: RequestAnswer[];
}

export type StepActivities = Record<StepName, (input: StepInput) => Promise<StepReport>> & {
  answer: (input: AnswersInput) => Promise<void>;
};

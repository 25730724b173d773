import type { Order } from '../../../db/entities/order.ts';
import { type Posting, post } from '../../../db/ledger/post.ts';
import { type Statement, statement } from '../../../db/statement.ts';
import type { Command, Trigger } from '../../../domain/order-commands.ts';
import { type Decision, deadlineAfter, reasonFor } from '../../../domain/order-decision.ts';
import { STAGES, type StepName } from '../../../domain/order-state.ts';
import type { StepInput, StepRefusal } from '../../../domain/order-steps.ts';
import { reasonText } from '../../../domain/status-reasons.ts';
import { IS_STATE, STATE_COLUMNS, snapshot, stateParameters } from '../../order-state-row.ts';
import { DEADLINE, DEADLINE_SET_AT } from './deadline.ts';
import type { ReasonSql } from './reason-sql.ts';

/**
 * The part of a step's statement that only this step has; `stepStatement` adds the rest. In its SQL, `before` is the
 * order before the step and `after` the order after it. In `set` and `where`, the order is `orders`.
 */
export interface Step {
  /** Columns of the order that the step sets besides those that every step sets. */
  set?: Partial<Record<Exclude<keyof Order & string, EverySteps>, string>>;
  /** The order's reason, if the rows give it and not the command. */
  reason?: ReasonSql;
  /** CTEs that `from` and `effects` read. */
  reads?: readonly string[];
  /** A table that `set` and `where` read besides the order. */
  from?: string;
  /** Conditions that must hold besides the version and the status. */
  where?: readonly string[];
  /** The refusal if one of the step's own conditions does not hold. The workflow handles `no_verdict`. */
  unmet?: StepRefusal | 'no_verdict';
  /** The transfers that the step posts. */
  posting?: Omit<Posting<'order'>, 'source' | 'row'>;
  /** Further CTEs. */
  effects?: readonly string[];
  /** Values of the parameters that only this step has. */
  parameters?: (command: Command, settings: StepSettings) => Record<string, unknown>;
  /** The caller may have given a reason, which `request_note` keeps out of Temporal. It comes before any other reason. */
  hasRequestNote?: true;
}

/** The steps of one file, by their names. */
export type Steps = Partial<Record<StepName, Step>>;

type EverySteps =
  | 'status'
  | 'version'
  | 'timeout_at'
  | 'deadline_set_at'
  | 'status_reason'
  | 'status_reason_code';

/** The settings of the worker that runs the step. They must not come through Temporal. */
export interface StepSettings {
  /** The first cool-down after a strike, in ms; 0: LPs do not cool down. */
  strikeCoolDown: number;
  /** The number of releases within 24 hours that cost an LP no strike, if each follows soon after its claim. */
  freeReleases: number;
  /** How long the LP of a claimed order may report fiat that it has sent, after the agent's key is revoked, in ms. */
  revocationGrace: number;
  /** How long after the claim, in ms, an agent may dispute an order whose LP has not reported the fiat. */
  disputeAfter: number;
}

/** For callers that these limits do not concern. */
export const NO_LIMITS: StepSettings = {
  ...{ strikeCoolDown: 0, freeReleases: 1_000_000, revocationGrace: 0, disputeAfter: 0 },
};

/** Narrows a command to the triggers that its step expects. Throws for any other command. */
export function expectTrigger<Name extends Trigger>(command: Command, ...triggers: readonly Name[]) {
  const isExpected = (given: Command): given is Extract<Command, { trigger: Name }> =>
    triggers.some((trigger) => trigger === given.trigger);
  if (isExpected(command)) return command;
  throw new Error(`The step carries out ${triggers.join(' or ')}, but got the command ${command.trigger}`);
}

/** Events distinguish a claim that Corridor made under the LP's settings from one that the LP requested. */
export const causeOf = ({ trigger }: Command) => (trigger === 'autoClaim' ? 'auto-claim' : trigger);

/** Values of the parameters that every step has; without the reason if the step finds one in rows. */
export function commonParameters(
  { orderId, state, requestId, actor, command }: StepInput,
  { to }: Extract<Decision, { kind: 'apply' }>,
  { reason: ownReason }: Step,
): Record<string, unknown> {
  const deadline = deadlineAfter(state, command, to);
  const keepsDeadline = deadline === 'kept';
  const next = keepsDeadline ? null : deadline;
  const reason = reasonFor(state, command);
  return {
    orderId,
    ...stateParameters(state),
    requestId,
    status: to,
    keepsDeadline,
    deadlineAt: next && 'at' in next ? next.at : null,
    deadlineInMs: next && 'inMs' in next ? next.inMs : null,
    // PostgreSQL counts an array's elements from 1.
    stage: next && 'stage' in next ? STAGES.indexOf(next.stage) + 1 : null,
    actor,
    cause: causeOf(command),
    ...(ownReason ? {} : { reason: reason && reasonText(reason), reasonCode: reason?.code ?? null }),
  };
}

/**
 * Builds the statement of a step. In one transaction it updates the order's row, if the row is in the state that the
 * decision was based on, and posts to the ledger. It also records the event, the webhook that becomes due, and the
 * outcome under the request id. `test/db/statements/step-claim.sql` shows such a statement as a whole.
 */
export function stepStatement(name: StepName, step: Step): Statement {
  const { reads = [], from, where = [], posting, effects = [] } = step;
  const ctes = [
    `before as (
  select * from orders where id = $orderId and version = $version and status = $from
)`,
    ...reads,
    `after as (
  update orders set
    ${assignments(step).join(',\n    ')}${from ? `\n  from ${from}` : ''}
  where ${['orders.id = $orderId', IS_STATE, ...where].join('\n    and ')}
  returning orders.*
)`,
    ...(posting ? [post({ source: 'order', row: 'after', ...posting })] : []),
    ...effects,
    `event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
  select after.id, after.version, before.status, after.status, $actor, $cause, after.status_reason, after.status_reason_code,
    ${snapshot('after')}
  from after, before
)`,
    `delivery as (
  insert into webhook_delivery (order_id, seq)
  select after.id, after.version
  from after, before where after.callback_url is not null and after.status <> before.status
  returning seq
)`,
    `outcome as (
  insert into order_outcome (request_id, order_id, result, status)
  select $requestId, after.id, 'applied', after.status from after
)`,
  ];
  return statement(
    `step-${name}`,
    `with ${ctes.join(',\n')}\nselect ${STATE_COLUMNS},\n  (select seq from delivery) as webhook\nfrom after`,
  );
}

const OF_THE_COMMAND: ReasonSql = { text: '$reason', code: '$reasonCode' };

function assignments({ set, reason = OF_THE_COMMAND, hasRequestNote }: Step): string[] {
  const noted = (column: string, otherwise: string) =>
    hasRequestNote
      ? `coalesce((select ${column} from request_note where request_id = $requestId), ${otherwise})`
      : otherwise;
  const columns = {
    status: '$status',
    version: 'orders.version + 1',
    timeout_at: DEADLINE,
    deadline_set_at: DEADLINE_SET_AT,
    status_reason: noted('reason', reason.text),
    status_reason_code: noted('code', reason.code),
  } satisfies Record<EverySteps, string>;
  return Object.entries({ ...columns, ...set }).map(([column, value]) => `${column} = ${value}`);
}

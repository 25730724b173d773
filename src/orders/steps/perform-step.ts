import { isDuplicate, violates } from '../../db/errors.ts';
import { isInsufficientCollateral } from '../../db/ledger/insufficient-collateral.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import type { Finding } from '../../domain/order-commands.ts';
import type { StepName } from '../../domain/order-state.ts';
import {
  type AnswersInput,
  isUndecided,
  type OrderMoved,
  type StepInput,
  type StepRefusal,
  type StepReport,
  type StepResult,
  type Undecided,
} from '../../domain/order-steps.ts';
import {
  CLAIM_CONDITIONS,
  type ClaimObstacle,
  claimantRows,
  UNMET_BY_CLAIM,
} from '../../market/lps/may-claim.ts';
import { exceedsExposure } from '../../market/pricing/exposure.ts';
import { IS_STATE, orderState, STATE_COLUMNS, type StateRow, stateParameters } from '../order-state-row.ts';
import { STEPS, stepQuery } from './registry.ts';
import { CLAIM_DISPUTE_REFUSAL } from './shared/claim-dispute.ts';
import { DUE_IN_MS, MAY_EXPIRE } from './shared/deadline.ts';
import { FAILED_CLAIM_FINDING, failureParameters } from './shared/failed-claim.ts';
import { causeOf, NO_LIMITS, type Step, type StepSettings } from './shared/step.ts';

/**
 * Carries out one transition in one statement, and so in one transaction and one round trip.
 * A second run with the same request id changes nothing and returns the recorded outcome.
 */
export async function performStep(
  db: Database,
  step: StepName,
  input: StepInput,
  settings: StepSettings,
): Promise<StepReport> {
  const { name, text, values } = stepQuery(step, input, settings);
  try {
    const [row] = await db.query<AppliedRow>(name, text, values);
    if (row) return { ...report('applied', row), webhook: row.webhook };
  } catch (error) {
    const refusal = refusalFrom(error);
    if (refusal) return refuse(db, input, refusal);
    // Two concurrent runs of the same step: the second one violates the keys that the first has just written.
    if (!isDuplicate(error)) throw error;
  }
  return readBack(db, input, settings, STEPS[step].unmet);
}

/** The answer to a request that needs no transition: a repeat or a refusal. */
export interface RequestAnswer {
  requestId: string;
  result: 'already' | StepRefusal | OrderMoved;
}

/**
 * Records answers that need no transition, if the row is in the state that they assume. Otherwise it returns `stale`
 * and records none. The first answer to a request stays.
 */
export async function recordAnswers(
  db: Database,
  {
    orderId,
    state,
    answers,
  }: Pick<AnswersInput, 'orderId' | 'state'> & { answers: readonly RequestAnswer[] },
): Promise<{ row: OwingRow; result: 'recorded' | 'stale' }> {
  const [requestIds, results] = [
    answers.map(({ requestId }) => requestId),
    answers.map(({ result }) => result),
  ];
  const [read] = await run<ComparedRow>(db, RECORD_ANSWERS, {
    ...{ orderId, ...stateParameters(state), requestIds, results },
  });
  const row = requireRow(read, orderId);
  return { row, result: row.is_state ? 'recorded' : 'stale' };
}

/** Returns the refusal for a violated constraint, or undefined for any other error. */
export function refusalFrom(error: unknown): StepRefusal | undefined {
  if (isInsufficientCollateral(error)) return 'insufficient_collateral';
  if (violates(error, 'lp_term_float_available_not_negative')) return 'outside_terms';
  if (exceedsExposure(error)) return 'agent_exposure_exceeded';
  if (violates(error, 'chain_transaction_pkey')) return 'transaction_used';
  return undefined;
}

interface AppliedRow extends StateRow {
  webhook: number | null;
}

interface OwingRow extends StateRow {
  /** Webhooks that the order still has to deliver, oldest first. */
  owed: number[];
}

interface ComparedRow extends OwingRow {
  /** The row is in the state that the decision was based on. */
  is_state: boolean;
}

interface ReadBackRow extends ComparedRow {
  /** The result recorded under the request id, if any. */
  result: StepResult | null;
  may_expire: boolean;
  due_in_ms: number | null;
  /** Only for releases, deadlines and disputes of claims. */
  claim_finding: Finding | StepRefusal | null;
  /** Only for claims. */
  claim_obstacle: ClaimObstacle | null;
}

const OWED = `array(
    select seq from webhook_delivery d where d.order_id = orders.id and d.lp_id is null and d.state = 'pending' order by seq
  ) as owed`;

export const READ_BACK = statement(
  'step-read-back',
  `
select ${STATE_COLUMNS},
  (select result from order_outcome where request_id = $requestId) as result,
  (${IS_STATE}) as is_state,
  ${MAY_EXPIRE} as may_expire,
  ${DUE_IN_MS} as due_in_ms,
  coalesce(${FAILED_CLAIM_FINDING}, ${CLAIM_DISPUTE_REFUSAL}) as claim_finding,
  (select ${UNMET_BY_CLAIM} from ${claimantRows()} where lp.id = $lpId::bigint) as claim_obstacle,
  ${OWED}
from orders where id = $orderId`,
);

export const RECORD_ANSWERS = statement(
  'step-answer',
  `
with answer as (
  insert into order_outcome (request_id, order_id, result, status)
  select given.request_id, orders.id, given.result, orders.status
  from orders, unnest($requestIds::uuid[], $results::varchar[]) as given (request_id, result)
  where orders.id = $orderId and ${IS_STATE}
  on conflict (request_id) do nothing
)
select ${STATE_COLUMNS},
  (${IS_STATE}) as is_state,
  ${OWED}
from orders where id = $orderId`,
);

/** Changes nothing, and reports the row. */
export async function reportRow(
  db: Database,
  { orderId, state }: Pick<StepInput, 'orderId' | 'state'>,
  result: Undecided,
): Promise<StepReport> {
  const { strikeCoolDown, freeReleases, disputeAfter } = NO_LIMITS;
  const [row] = await run<ReadBackRow>(db, READ_BACK, {
    ...{ orderId, ...stateParameters(state), requestId: null, lpId: null, validUntil: null },
    ...{ strikeCoolDown, freeReleases, disputeAfter, freeSince: null, cause: null },
  });
  return unmoved(result, requireRow(row, orderId));
}

/** Called when the statement changed nothing: an earlier run carried the request out, or the order has moved. */
async function readBack(
  db: Database,
  input: StepInput,
  settings: StepSettings,
  unmet: Step['unmet'],
): Promise<StepReport> {
  const { orderId, state, requestId, command } = input;
  const claim = 'validUntil' in command ? command : null;
  const { lpId = null, validUntil = null } = claim ?? {};
  const [read] = await run<ReadBackRow>(db, READ_BACK, {
    ...{ orderId, ...stateParameters(state), requestId, lpId, validUntil },
    ...{ strikeCoolDown: settings.strikeCoolDown, disputeAfter: settings.disputeAfter },
    ...{ ...failureParameters(command, settings), cause: causeOf(command) },
  });
  const row = requireRow(read, orderId);
  if (row.result) return unmoved(row.result, row);
  if (!row.is_state) return unmoved('stale', row);
  if (command.trigger === 'deadline') {
    const dueInMs = row.due_in_ms ?? 0;
    if (dueInMs > 0) return { ...unmoved('not_yet', row), dueInMs };
    if (!row.may_expire) return unmoved('clock_stopped', row);
  }
  if (claim && row.claim_obstacle) return refuse(db, input, CLAIM_CONDITIONS[row.claim_obstacle].refusal);
  const { claim_finding: finding } = row;
  if (finding) return isUndecided(finding) ? unmoved(finding, row) : refuse(db, input, finding);
  // The deadline may have passed since the step ran. Then the step can succeed now.
  const hasPassed =
    unmet === 'no_verdict' && (command.trigger === 'deadline' || command.trigger === 'dispute');
  if (!unmet || hasPassed) return unmoved('stale', row);
  return isUndecided(unmet) ? unmoved(unmet, row) : refuse(db, input, unmet);
}

/** Records that the command is for another version of the order than the one that it has met. */
export const refuseMoved = (db: Database, input: StepInput): Promise<StepReport> =>
  refuse(db, input, 'order_moved');

async function refuse(
  db: Database,
  input: StepInput,
  refusal: StepRefusal | OrderMoved,
): Promise<StepReport> {
  const { orderId, state, requestId } = input;
  const answers = [{ requestId, result: refusal }];
  const { row, result } = await recordAnswers(db, { orderId, state, answers });
  return unmoved(result === 'stale' ? result : refusal, row);
}

const report = (result: StepResult, row: StateRow): StepReport => ({
  result,
  state: orderState(row),
  webhook: null,
});

export const unmoved = (result: StepResult, row: OwingRow): StepReport => ({
  ...report(result, row),
  owed: row.owed,
});

function requireRow<T>(row: T | undefined, orderId: number): T {
  if (!row) throw new Error(`There is no order ${orderId} in the database`);
  return row;
}

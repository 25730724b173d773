import { DatabaseError } from 'pg';
import { normaliseTxHash } from '../../domain/assets.ts';
import type { OrderState, OrderStatus, StepName } from '../../domain/order-state.ts';
import { VIEW_COLUMNS } from '../../domain/order-view.ts';
import type { RequestAnswer, StepInput, StepRefusal, StepReport, StepResult } from '../../domain/steps.ts';
import type { Database } from '../orm.ts';
import { DEADLINE, IN_SERVICE, STEP_STATEMENTS, type StepStatement } from './statements.ts';

/**
 * Carries out one transition in one statement, and so in one transaction and one round trip: the row (only at the
 * expected version), the ledger, the event, the webhook owed, and the outcome under the request's id.
 * Run again with the same request id it changes nothing and reports what was recorded.
 */
export async function performStep(db: Database, step: StepName, input: StepInput): Promise<StepReport> {
  const { orderId, requestId } = input;
  const { name, text, values } = stepQuery(step, input);
  try {
    const [row] = await db.query<AppliedRow>(name, text, values);
    if (row) return { ...report('applied', row), webhook: row.webhook };
  } catch (error) {
    const refusal = refusalFrom(error);
    if (refusal) return refuse(db, orderId, requestId, refusal);
    if (!isDuplicate(error)) throw error;
  }
  return readBack(db, input, STEP_STATEMENTS[step].unmet);
}

/** The statement of a step with its values, to be run as it is. */
export function stepQuery(step: StepName, input: StepInput) {
  const { orderId, version, requestId, to, deadline, actor, reason, command } = input;
  // What an LP has set up once, and not asked for this time, is told apart in the order's events.
  const cause = command.trigger === 'autoClaim' ? 'auto-claim' : command.trigger;
  const [at, inMs] = deadline && 'at' in deadline ? [deadline.at, null] : [null, deadline?.inMs ?? null];
  const values = [orderId, version, requestId, to, at, actor, cause, reason, inMs];
  const own = STEP_STATEMENTS[step].params?.(command) ?? [];
  return { name: `step-${step}`, text: STEP_SQL[step], values: [...values, ...own] };
}

/** Records answers that need no transition. The first answer to a request stays. */
export async function recordAnswers(
  db: Database,
  orderId: number,
  answers: readonly RequestAnswer[],
): Promise<OwingRow> {
  const [ids, results] = [answers.map(({ requestId }) => requestId), answers.map(({ result }) => result)];
  const rows = await db.query<OwingRow>('step-answer', ANSWER, [orderId, ids, results]);
  return found(rows[0], orderId);
}

/** The state that `decide` needs, from a row. */
export function orderState(row: StateRow): OrderState {
  return {
    version: row.version,
    status: row.status,
    lpId: row.lp_id ?? null,
    excludedLpIds: row.excluded_lp_ids.map(Number),
    txHash: row.user_crypto_tx_hash ? normaliseTxHash(row.user_crypto_tx_hash) : null,
    rejectedTxHashes: row.rejected_tx_hashes,
    reoffers: row.reoffers,
    rejections: row.rejections,
    timeoutAt: row.timeout_at ? new Date(row.timeout_at).toISOString() : null,
    frozenMs: row.frozen_ms ?? null,
    slashedUsd: row.slashed_usd ?? null,
  };
}

/** Columns of `orders` that make up its state. */
export const STATE_COLUMNS =
  'version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes';

export interface StateRow {
  version: number;
  status: OrderStatus;
  lp_id?: number | null | undefined;
  excluded_lp_ids: (string | number)[];
  user_crypto_tx_hash?: string | null | undefined;
  rejected_tx_hashes: string[];
  reoffers: number;
  rejections: number;
  timeout_at?: string | Date | null | undefined;
  frozen_ms?: number | null | undefined;
  slashed_usd?: string | null | undefined;
}

interface AppliedRow extends StateRow {
  webhook: number | null;
}

interface OwingRow extends StateRow {
  /** Webhooks that are owed, oldest first. */
  owed: number[];
}

interface ReadBackRow extends OwingRow {
  /** What was recorded under the request id, if anything. */
  result: StepResult | null;
  in_service: boolean;
  /** The command came after it was void. */
  too_late: boolean;
}

/** The whitelisted columns of a row as JSON: what an event keeps. */
export const snapshot = (row: string) =>
  `jsonb_build_object(${Object.keys(VIEW_COLUMNS)
    .map((column) => `'${column}', ${row}.${column}`)
    .join(', ')})`;

const STEP_SQL = Object.fromEntries(
  Object.entries(STEP_STATEMENTS).map(([step, statement]) => [step, stepSql(statement)]),
) as Record<StepName, string>;

function stepSql({ set = '', from = '', where = '', effects = [], noted }: StepStatement): string {
  const reason = noted ? 'coalesce((select reason from request_note where request_id = $3), $8)' : '$8';
  const ctes = [
    `before as (select * from orders where id = $1 and version = $2)`,
    `o as (
      update orders set status = $4, version = orders.version + 1, timeout_at = ${DEADLINE}, status_reason = ${reason} ${set}
      ${from}
      where orders.id = $1 and orders.version = $2 ${where}
      returning orders.*
    )`,
    ...effects,
    `event as (
      insert into order_event (order_id, seq, from_status, status, actor, cause, reason, snapshot)
      select o.id, o.version, before.status, o.status, $6, $7, o.status_reason, ${snapshot('o')} from o, before
    )`,
    `delivery as (
      insert into webhook_delivery (order_id, seq)
      select o.id, o.version from o, before where o.callback_url is not null and o.status <> before.status
      returning seq
    )`,
    `outcome as (
      insert into order_outcome (request_id, order_id, result, status) select $3, o.id, 'applied', o.status from o
    )`,
  ];
  return `with ${ctes.join(',\n')} select ${STATE_COLUMNS}, (select seq from delivery) as webhook from o`;
}

const OWED = `array(
    select seq from webhook_delivery d where d.order_id = orders.id and d.state = 'pending' order by seq
  ) as owed`;

const READ_BACK = `
  select ${STATE_COLUMNS}, (select result from order_outcome where request_id = $2) as result, ${IN_SERVICE} as in_service,
    coalesce(now() > $3::timestamptz, false) as too_late, ${OWED}
  from orders where id = $1`;

const ANSWER = `
  with answer as (
    insert into order_outcome (request_id, order_id, result, status)
    select given.request_id, o.id, given.result, o.status
    from orders o, unnest($2::uuid[], $3::varchar[]) as given (request_id, result)
    where o.id = $1
    on conflict (request_id) do nothing
  )
  select ${STATE_COLUMNS}, ${OWED} from orders where id = $1`;

/** The statement found nothing to change: either this request was carried out before, or the order has moved. */
async function readBack(
  db: Database,
  { orderId, requestId, version, command }: StepInput,
  unmet: StepStatement['unmet'],
): Promise<StepReport> {
  const validUntil = 'validUntil' in command ? command.validUntil : null;
  const rows = await db.query<ReadBackRow>('step-read-back', READ_BACK, [orderId, requestId, validUntil]);
  const row = found(rows[0], orderId);
  if (row.result) return unmoved(row.result, row);
  if (row.version !== version) return unmoved('stale', row);
  if (command.trigger === 'deadline' && !row.in_service) return unmoved('out_of_service', row);
  if (row.too_late) return refuse(db, orderId, requestId, 'order_not_claimable');
  if (!unmet) return unmoved('stale', row);
  return unmet === 'nobody_else' ? unmoved(unmet, row) : refuse(db, orderId, requestId, unmet);
}

async function refuse(
  db: Database,
  orderId: number,
  requestId: string,
  result: StepRefusal | 'already',
): Promise<StepReport> {
  return unmoved(result, await recordAnswers(db, orderId, [{ requestId, result }]));
}

const report = (result: StepResult, row: StateRow): StepReport => ({
  result,
  state: orderState(row),
  webhook: null,
});

const unmoved = (result: StepResult, row: OwingRow): StepReport => ({
  ...report(result, row),
  owed: row.owed,
});

function found<T>(row: T | undefined, orderId: number): T {
  if (!row) throw new Error(`There is no order ${orderId} in the database`);
  return row;
}

/** A constraint that says no in the database's words, in ours. */
export function refusalFrom(error: unknown): StepRefusal | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  if (error.constraint === 'lp_collateral_available_not_negative') return 'insufficient_collateral';
  if (error.constraint === 'chain_transaction_pkey') return 'transaction_used';
  return undefined;
}

/** Two runs of the same step at once: the second meets the keys that the first has just written. */
const isDuplicate = (error: unknown): boolean => error instanceof DatabaseError && error.code === '23505';

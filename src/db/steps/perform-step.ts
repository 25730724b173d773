import { DatabaseError } from 'pg';
import { normaliseTxHash } from '../../domain/assets.ts';
import type { OrderState, OrderStatus, StepName } from '../../domain/order-state.ts';
import { VIEW_COLUMNS } from '../../domain/order-view.ts';
import type { AnswerInput, StepInput, StepRefusal, StepReport, StepResult } from '../../domain/steps.ts';
import type { Database } from '../orm.ts';
import { STEP_STATEMENTS, type StepStatement } from './statements.ts';

/**
 * Carries out one transition in one statement, and so in one transaction and one round trip: the row (only at the
 * expected version), the ledger, the event, the webhook owed, and the outcome under the request's id.
 * Run again with the same request id it changes nothing and reports what was recorded.
 */
export async function performStep(db: Database, step: StepName, input: StepInput): Promise<StepReport> {
  const statement = STEP_STATEMENTS[step];
  const { orderId, version, requestId, to, timeoutAt, actor, reason, command } = input;
  // What an LP has set up once, and not asked for this time, is told apart in the order's events.
  const cause = command.trigger === 'autoClaim' ? 'auto-claim' : command.trigger;
  const values = [orderId, version, requestId, to, timeoutAt, actor, cause, reason];
  try {
    const rows = await db.query<StateRow>(`step-${step}`, STEP_SQL[step], [
      ...values,
      ...(statement.params?.(command) ?? []),
    ]);
    const row = rows[0];
    if (row) return report('applied', row);
  } catch (error) {
    const refusal = refusalFrom(error);
    if (refusal) return refuse(db, orderId, requestId, refusal);
    if (!isDuplicate(error)) throw error;
  }
  return readBack(db, input, statement.unmet);
}

/** Records an answer that needs no transition. The first answer to a request stays. */
export async function recordAnswer(db: Database, { orderId, requestId, result }: AnswerInput): Promise<void> {
  await refuse(db, orderId, requestId, result);
}

/** The state that `decide` needs, from a row. */
export function orderState(row: StateRow): OrderState {
  return {
    version: row.version,
    status: row.status,
    lpId: row.lp_id ?? null,
    excludedLpIds: row.excluded_lp_ids.map(Number),
    txHash: row.user_crypto_tx_hash ? normaliseTxHash(row.user_crypto_tx_hash) : null,
    reoffers: row.reoffers,
    rejections: row.rejections,
    timeoutAt: row.timeout_at ? new Date(row.timeout_at).toISOString() : null,
  };
}

/** Columns of `orders` that make up its state. */
export const STATE_COLUMNS =
  'version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, timeout_at';

export interface StateRow {
  version: number;
  status: OrderStatus;
  lp_id?: number | null | undefined;
  excluded_lp_ids: (string | number)[];
  user_crypto_tx_hash?: string | null | undefined;
  reoffers: number;
  rejections: number;
  timeout_at?: string | Date | null | undefined;
}

interface ReportRow extends StateRow {
  /** What was recorded under the request id, if anything. */
  result: StepResult | null;
  owes_webhook: boolean;
}

const REPORT_COLUMNS = `${STATE_COLUMNS}, callback_url is not null as owes_webhook`;

/** The whitelisted columns of a row as JSON: what an event keeps. */
export const snapshot = (row: string) =>
  `jsonb_build_object(${Object.keys(VIEW_COLUMNS)
    .map((column) => `'${column}', ${row}.${column}`)
    .join(', ')})`;

const STEP_SQL = Object.fromEntries(
  Object.entries(STEP_STATEMENTS).map(([step, statement]) => [step, stepSql(statement)]),
) as Record<StepName, string>;

function stepSql({ set = '', from = '', where = '', effects = [] }: StepStatement): string {
  const ctes = [
    `before as (select * from orders where id = $1 and version = $2)`,
    `o as (
      update orders set status = $4, version = orders.version + 1, timeout_at = $5, status_reason = $8 ${set}
      ${from}
      where orders.id = $1 and orders.version = $2 ${where}
      returning orders.*
    )`,
    ...effects,
    `event as (
      insert into order_event (order_id, seq, from_status, status, actor, cause, reason, snapshot)
      select o.id, o.version, before.status, o.status, $6, $7, $8, ${snapshot('o')} from o, before
    )`,
    `delivery as (
      insert into webhook_delivery (order_id, seq) select o.id, o.version from o where o.callback_url is not null
    )`,
    `outcome as (
      insert into order_outcome (request_id, order_id, result, status) select $3, o.id, 'applied', o.status from o
    )`,
  ];
  return `with ${ctes.join(',\n')} select ${REPORT_COLUMNS} from o`;
}

const READ_BACK = `
  select ${REPORT_COLUMNS}, (select result from order_outcome where request_id = $2) as result
  from orders where id = $1`;

const ANSWER = `
  with answer as (
    insert into order_outcome (request_id, order_id, result, status)
    select $2, id, $3, status from orders where id = $1
    on conflict (request_id) do nothing
  )
  select ${REPORT_COLUMNS} from orders where id = $1`;

/** The statement found nothing to change: either this request was carried out before, or the order has moved. */
async function readBack(db: Database, input: StepInput, unmet: StepRefusal | undefined): Promise<StepReport> {
  const rows = await db.query<ReportRow>('step-read-back', READ_BACK, [input.orderId, input.requestId]);
  const row = found(rows[0], input.orderId);
  if (row.result) return report(row.result, row);
  if (unmet && row.version === input.version) return refuse(db, input.orderId, input.requestId, unmet);
  return report('stale', row);
}

async function refuse(
  db: Database,
  orderId: number,
  requestId: string,
  result: StepRefusal | 'already',
): Promise<StepReport> {
  const rows = await db.query<ReportRow>('step-answer', ANSWER, [orderId, requestId, result]);
  return report(result, found(rows[0], orderId));
}

const report = (result: StepResult, row: StateRow & { owes_webhook?: boolean }): StepReport => ({
  result,
  state: orderState(row),
  webhook: result === 'applied' && row.owes_webhook ? row.version : null,
});

function found<T>(row: T | undefined, orderId: number): T {
  if (!row) throw new Error(`There is no order ${orderId} in the database`);
  return row;
}

/** A constraint that says no in the database's words, in ours. */
function refusalFrom(error: unknown): StepRefusal | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  if (error.constraint === 'lp_collateral_available_not_negative') return 'insufficient_collateral';
  if (error.constraint === 'chain_transaction_pkey') return 'transaction_used';
  return undefined;
}

/** Two runs of the same step at once: the second meets the keys that the first has just written. */
const isDuplicate = (error: unknown): boolean => error instanceof DatabaseError && error.code === '23505';

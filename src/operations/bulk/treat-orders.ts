import type { Logger } from 'pino';
import { onBehalfOf } from '../../db/audit-context.ts';
import { Order } from '../../db/entities/order.ts';
import type { Database } from '../../db/orm.ts';
import type { BulkProgress } from '../../domain/bulk.ts';
import { DomainError } from '../../domain/errors.ts';
import { reasonOf } from '../../domain/status-reasons.ts';
import type { AttemptCommand } from '../../orders/attempt-command.ts';
import { readOutcomes } from '../../orders/outcomes.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import { bulkCommand, bulkRequestId } from './command.ts';
import { frozenByAdmins } from './frozen-by-admins.ts';
import {
  finishIfDone,
  nextOrders,
  progressOf,
  recordTreated,
  type Treated,
  type Turn,
  takeTurn,
  type Untreated,
} from './progress.ts';
import { redeliverExhausted } from './redeliver-exhausted.ts';
import { stopBulkRun } from './runs.ts';
import { stoodStillTimes } from './stood-still.ts';

export interface TreatDeps {
  db: Database;
  attempt: AttemptCommand;
  gateway: Pick<OrderGateway, 'redeliver'>;
  log: Logger;
}

/** Commands of a run under way at the same time: few, so that a run does not delay the commands of agents and LPs. */
const AT_THE_SAME_TIME = 5;
/** After this many attempts without an answer, an order is `unanswered`. */
const MAX_ATTEMPTS = 10;
/** Orders that one activity of the workflow treats. */
const PAGE = 100;

/**
 * Treats the next orders of a run. Only the rows say whether it may go on: anybody who reaches Temporal can start its workflow.
 * No order is treated twice, neither after a crash nor by two workflows at the same time: its request has one id, and its command
 * applies to one version of the order. Rejects with `unavailable` if no order of a batch answers, so that the caller waits.
 */
export async function treatOrders(
  deps: TreatDeps,
  runId: number,
  stopped?: AbortSignal,
): Promise<BulkProgress> {
  const { db, log } = deps;
  for (let taken = 0; taken < PAGE; taken += AT_THE_SAME_TIME) {
    stopped?.throwIfAborted();
    const turn = await takeTurn(db, runId);
    if (turn && !turn.is_allowed && (await stopBulkRun(db, runId, 'service')))
      log.warn(
        { bulkRun: runId, admin: turn.created_by },
        'stopped a bulk run: its admin may no longer send its commands',
      );
    const batch = turn?.is_allowed ? await nextOrders(db, runId, AT_THE_SAME_TIME) : [];
    if (!turn || batch.length === 0) {
      await finishIfDone(db, runId);
      return { isDone: true, ...(await progressOf(db, runId)) };
    }
    await treatBatch(deps, turn, batch);
  }
  return { isDone: false, ...(await progressOf(db, runId)) };
}

async function treatBatch(deps: TreatDeps, turn: Turn, batch: Untreated[]): Promise<void> {
  const { db } = deps;
  const ids = batch.map(({ order_id }) => order_id);
  const { context } = turn;
  const onBehalf = <T>(work: () => Promise<T>) => (context ? onBehalfOf(context, work) : work());
  if (turn.action === 'redeliver') return onBehalf(() => redeliverExhausted(deps, turn.id, ids));
  // The outcomes are read after the rows: if a request of this run has moved a row, its outcome is there.
  const orders = new Map((await db.em().find(Order, { id: { $in: ids } })).map((order) => [order.id, order]));
  const requestIds = ids.map((id) => bulkRequestId(turn, id));
  const recorded = new Map((await readOutcomes(db, requestIds)).map((row) => [row.request_id, row.result]));
  const unfreezable = turn.action === 'unfreeze' ? await frozenByAdmins(db, ids) : new Set<number>();
  const stoodStill = turn.action === 'extend' ? await stoodStillTimes(db, ids) : new Map<number, number>();
  const treated = await Promise.all(batch.map(treatOne));
  const answered = treated.filter((one) => one !== null);
  await recordTreated(db, turn.id, answered);
  if (answered.length === 0) throw new DomainError('unavailable');

  /** Null: no answer, and another attempt follows. */
  async function treatOne({ order_id: orderId, version, attempts }: Untreated): Promise<Treated | null> {
    const requestId = bulkRequestId(turn, orderId);
    const before = recorded.get(requestId);
    if (before) return treatedWith(orderId, before);
    const order = orders.get(orderId);
    if (order?.version !== version) return { orderId, outcome: 'moved' };
    const command = bulkCommand(turn, order, stoodStill.get(orderId));
    if (!command) return { orderId, outcome: 'refused', reason: 'not_an_extension' };
    if (command.trigger === 'unfreeze' && order.frozen_ms != null && !unfreezable.has(orderId))
      return { orderId, outcome: 'refused', reason: 'not_frozen_by_admin' };
    const { created_by: actor } = turn;
    const reason = reasonOf('bulk_note', { text: turn.reason, run: turn.id });
    const send = () => deps.attempt({ order, actor, command, reason, requestId });
    try {
      const { result } = await onBehalf(send);
      return treatedWith(orderId, result);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code !== 'unavailable') return treatedWith(orderId, error.code);
      return attempts < MAX_ATTEMPTS ? null : { orderId, outcome: 'unanswered' };
    }
  }
}

/** `result`: of a request to the order, or the code of its refusal. */
function treatedWith(orderId: number, result: string): Treated {
  if (result === 'applied' || result === 'already') return { orderId, outcome: result };
  return result === 'order_moved'
    ? { orderId, outcome: 'moved' }
    : { orderId, outcome: 'refused', reason: result };
}

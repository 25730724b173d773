import { setTimeout as delay } from 'node:timers/promises';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { DomainError } from '../domain/errors.ts';
import { type OrderStatus, STATUS_FACTS, type Stage } from '../domain/order-state.ts';
import { reasonOf } from '../domain/status-reasons.ts';
import type { DeadlineExpirer, OrderCommands } from './commands.ts';
import { type ExpiredDeadline, findExpiredDeadline } from './expired-deadline.ts';

/** The workflow's timer fires immediately, but the workflow may check the chain a last time before the step. */
const TIMEOUT_MS = 4_000;
const POLL_INTERVAL_MS = 40;

/** A deadline that was expired now: its stage, and the order's status after it. */
export type ExpiredNow = ExpiredDeadline & { stage: Stage; status: OrderStatus };

/**
 * Moves an order's deadline to the present by a signal to its workflow, and waits until the workflow has handled the
 * deadline. Throws the command's refusal, or `unavailable` if the workflow does not handle the deadline in time.
 */
export async function expireNow(
  { db, commands }: { db: Database; commands: OrderCommands },
  order: Order,
  expirer: DeadlineExpirer,
): Promise<ExpiredNow> {
  const { id, version, status: before } = order;
  await commands.expireNow(order, expirer, reasonOf('deadline_expired_now'));
  const { stage } = STATUS_FACTS[before];
  if (!stage) throw new Error(`Order ${id} is ${before}, which has no deadline, but its deadline was moved`);
  for (const giveUpAt = Date.now() + TIMEOUT_MS; Date.now() < giveUpAt; await delay(POLL_INTERVAL_MS)) {
    const expired = await findExpiredDeadline(db, id, version);
    if (expired?.status) return { ...expired, stage, status: expired.status };
  }
  throw new DomainError(
    'unavailable',
    'The deadline has been moved to now, but the order has not handled it yet. Read its status.',
    { retryAfter: 2 },
  );
}

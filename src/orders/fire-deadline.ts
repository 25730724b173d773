import { setTimeout as delay } from 'node:timers/promises';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { type FiredDeadline, firedDeadline } from '../db/queries/fired-deadline.ts';
import { DomainError } from '../domain/errors.ts';
import { type OrderStatus, STATUS_FACTS, type Stage } from '../domain/order-state.ts';
import type { Advancer, OrderCommands } from './commands.ts';

/** The clock rings at once, and a last look at a chain may come before anything is done. */
const PASSED_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 40;
const REASON = 'The sandbox was asked to let the deadline pass';

/** What became of a deadline that was made to pass: which one it was, and where its passing has brought the order. */
export type Fired = FiredDeadline & { stage: Stage; status: OrderStatus };

/**
 * Moves an order's deadline to this moment, by a signal to its workflow, and waits until that has done what it does when
 * a deadline passes. Throws what the command refuses, and `unavailable` when the workflow does not come to it in time.
 */
export async function fireDeadline(
  { db, commands }: { db: Database; commands: OrderCommands },
  order: Order,
  advancer: Advancer,
): Promise<Fired> {
  const { id, version, status: before } = order;
  await commands.advance(order, advancer, REASON);
  const { stage } = STATUS_FACTS[before];
  if (!stage) throw new Error(`order ${id} was ${before}, where no clock runs, and its deadline was moved`);
  for (const giveUpAt = Date.now() + PASSED_WITHIN_MS; Date.now() < giveUpAt; await delay(LOOK_EVERY_MS)) {
    const fired = await firedDeadline(db, id, version);
    if (fired?.status) return { ...fired, stage, status: fired.status };
  }
  throw new DomainError(
    'unavailable',
    'The deadline has been moved to now; the order has not yet come to it. Read its status.',
    { retryAfter: 2 },
  );
}

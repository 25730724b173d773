import type { OrderStatus } from '../../src/domain/order-state.ts';
import { wakesOrder } from './asleep.ts';
import type { TestCorridor } from './corridor.ts';

/**
 * Moves the deadline of an order's present stage to this moment in its row, and has its workflow read the row. The workflow's
 * own timer then fires. So a test decides when a deadline passes, and no step of it races with one. `status`: does so only
 * while the order has it.
 */
export async function passDeadline(
  { db, shared: { gateway } }: Pick<TestCorridor, 'db' | 'shared'>,
  orderId: number,
  status?: OrderStatus,
): Promise<void> {
  await endStage({ db }, orderId, status);
  await gateway.refresh(orderId, await wakesOrder(db, orderId));
}

/** Moves the deadline in the row only: the workflow does not know it. */
export async function endStage(
  { db }: Pick<TestCorridor, 'db'>,
  orderId: number,
  status: OrderStatus | null = null,
): Promise<void> {
  const now = `date_trunc('milliseconds', now())`;
  await db.query(
    't-end-stage',
    `update orders set timeout_at = ${now}, expires_at = case status when 'matched' then ${now} else expires_at end
     where id = $1 and timeout_at is not null and status = coalesce($2, status)`,
    [orderId, status],
  );
}

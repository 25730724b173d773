import type { Logger } from 'pino';
import { oneOf } from '../../db/entities/columns.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { CLOCKED, type OrderStatus } from '../../domain/order-state.ts';
import type { ObservedWorkflow } from '../../domain/workflow-drift.ts';
import { snapshot } from '../order-state-row.ts';
import { IN_SERVICE } from './shared/deadline.ts';

/** A party must have time to repeat a lost command once an admin has unfrozen the order, or to dispute the order. */
const LEFT_AT_LEAST_MS = 600_000;

/**
 * No failover loses so many transitions of one order. A workflow that shows more was made up by somebody who reaches
 * Temporal, and must not raise the version to its limit.
 */
const LOST_AT_MOST = 1_000;

/** While the service is away, the time since its last heartbeat counts for nobody; see `shift-deadlines.ts`. */
const LAST_IN_SERVICE = `case when ${IN_SERVICE} then now() else (select recorded_at from service_heartbeat) end`;

/**
 * Freezes an order whose row is behind what its workflow has seen. The new version is above every version that the
 * workflow knows, so no step and no deadline that it decided on fits the row, and it adopts the frozen row. A disputed
 * order has no clock and waits for an admin anyway: it only gets the reason. An ended order stays as it is.
 */
export const FREEZE_AFTER_LOSS = statement(
  'freeze-after-loss',
  `
with before as (
  select * from orders
  where id = $orderId and status not in ('completed', 'cancelled')
    and (version < $seenVersion::int or (version = $seenVersion::int and status <> $seenStatus))
    and version >= $seenVersion::int - ${LOST_AT_MOST}
),
after as (
  update orders set
    version = $seenVersion::int + 1,
    timeout_at = null,
    frozen_ms = case when ${oneOf('orders.status', CLOCKED)} then coalesce(
      orders.frozen_ms,
      greatest(${LEFT_AT_LEAST_MS}, extract(epoch from orders.timeout_at - (${LAST_IN_SERVICE})) * 1000)::bigint
    ) end,
    status_reason = 'The database lost commits: the order was seen as ' || coalesce($seenStatus, 'unknown') ||
      ', version ' || $seenVersion::int || ', and its row was ' || before.status || ', version ' || before.version
  from before
  where orders.id = before.id and orders.version = before.version and orders.status = before.status
  returning orders.*
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, snapshot)
  select after.id, after.version, after.status, after.status, 'service', 'lost-commits', after.status_reason,
    ${snapshot('after')}
  from after
)
select before.version, before.status from before, after`,
);

/**
 * Freezes the order if its row is behind what its workflow has seen, and logs it. Returns false if it is not, if the order
 * has ended, or if the difference cannot come from lost commits. A second call does no harm.
 */
export async function freezeAfterLoss(
  { db, log }: { db: Database; log: Logger },
  orderId: number,
  seen: ObservedWorkflow,
): Promise<boolean> {
  const [row] = await run<{ version: number; status: OrderStatus }>(db, FREEZE_AFTER_LOSS, {
    orderId,
    seenVersion: seen.version ?? null,
    seenStatus: seen.status ?? null,
  });
  if (row)
    log.error(
      { orderId, seen, row },
      'the database has lost commits of an order: froze it until an admin has asked its parties (docs/operations.md)',
    );
  return row !== undefined;
}

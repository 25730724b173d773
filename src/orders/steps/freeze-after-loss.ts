import type { Logger } from 'pino';
import { oneOf } from '../../db/entities/columns.ts';
import { clockOf } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { CLOCKED, type OrderStatus } from '../../domain/order-state.ts';
import type { ObservedWorkflow } from '../../domain/workflow-drift.ts';
import { snapshot } from '../order-state-row.ts';
import { reasonSql } from './shared/reason-sql.ts';

/** A party must have time to repeat a lost command once an admin has unfrozen the order, or to dispute the order. */
const LEFT_AT_LEAST_MS = 600_000;

/**
 * No failover loses this many transitions of one order. A workflow that shows more is forged by somebody who reaches
 * Temporal. It must not raise the version to its limit.
 */
const LOST_AT_MOST = 1_000;

const REASON = reasonSql('commits_lost', {
  seen_status: "coalesce($seenStatus, 'unknown')",
  seen_version: '$seenVersion::int',
  status: 'before.status',
  version: 'before.version',
});

/**
 * Freezes an order whose row is behind the state that its workflow has seen. The new version is higher than every
 * version that the workflow knows. So no pending step or deadline of the workflow fits the row, and the workflow adopts
 * the frozen row. A disputed order has no clock and waits for an admin anyway, so it only gets the reason. An ended
 * order stays as it is.
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
      greatest(${LEFT_AT_LEAST_MS}, extract(epoch from orders.timeout_at - ${clockOf('orders')}) * 1000)::bigint
    ) end,
    status_reason = ${REASON.text},
    status_reason_code = ${REASON.code}
  from before
  where orders.id = before.id and orders.version = before.version and orders.status = before.status
  returning orders.*
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
  select after.id, after.version, after.status, after.status, 'service', 'lost-commits', after.status_reason, after.status_reason_code,
    ${snapshot('after')}
  from after
)
select before.version, before.status from before, after`,
);

/**
 * Freezes the order if its row is behind the state that its workflow has seen, and logs it. Returns false if the row is
 * not behind, if the order has ended, or if the difference cannot come from lost commits. A second call does no harm.
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

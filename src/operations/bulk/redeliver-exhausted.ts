import type { Logger } from 'pino';
import { Order } from '../../db/entities/order.ts';
import type { Database } from '../../db/orm.ts';
import { pendingDeliveries } from '../../notify/webhooks/list-deliveries.ts';
import { auditedChange, REOPENED } from '../../notify/webhooks/reopen-delivery.ts';
import { startInput } from '../../orders/start-order.ts';
import { crashPoint } from '../../process/crash-point.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';

export interface RedeliverExhaustedDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'redeliver'>;
  log: Logger;
}

/** SQL condition: the delivery `d` to an agent was given up, and its body can be sent again. */
export const IS_EXHAUSTED = `d.lp_id is null and d.state = 'exhausted' and d.body is not null`;

/** Records the outcome and reopens the webhooks in one statement, so that a repeat reopens none of them again. */
const REOPEN = `
  with treated as (
    update bulk_order b set treated_at = now(), outcome = case
      when exists (select from webhook_delivery d where d.order_id = b.order_id and ${IS_EXHAUSTED}) then 'applied' else 'moved'
    end
    where b.bulk_run_id = $1 and b.order_id = any($2::bigint[]) and b.outcome is null
    returning b.order_id
  ),
  reopened as (
    update webhook_delivery d set ${REOPENED}
    from treated where d.order_id = treated.order_id and ${IS_EXHAUSTED}
    returning d.id, d.order_id, d.seq
  ),
  audited as (
    select order_id, seq, ${auditedChange("'exhausted'", "'pending'")} from reopened
  )
  select order_id, array_agg(seq order by seq) as seqs, count(audited) as audited from audited group by order_id`;

/**
 * Sends the exhausted webhooks of these orders to their agents again, and records it for the run. If a signal is lost,
 * `resendUntriedWebhooks` repeats it.
 */
export async function redeliverExhausted(
  { db, gateway, log }: RedeliverExhaustedDeps,
  runId: number,
  ids: number[],
): Promise<void> {
  const reopened = await db.query<{ order_id: number; seqs: number[] }>('bulk-reopen', REOPEN, [runId, ids]);
  crashPoint('redelivery.reopened');
  await Promise.all(
    reopened.map(({ order_id, seqs }) =>
      signal(order_id, seqs).catch((error) =>
        log.warn(
          { err: error, orderId: order_id },
          'could not signal the redelivery of webhooks; upkeep will',
        ),
      ),
    ),
  );

  async function signal(orderId: number, seqs: number[]): Promise<void> {
    const order = await db.em().findOneOrFail(Order, { id: orderId });
    const owed = await pendingDeliveries(db, orderId);
    for (const seq of seqs)
      await gateway.redeliver(startInput(order, { webhooks: owed, autoClaims: true }), order, seq);
  }
}

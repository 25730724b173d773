import type { Logger } from 'pino';
import { crashPoint } from '../crash-point.ts';
import { closeAgain, reopenDelivery } from '../db/commands/reopen-delivery.ts';
import { Order } from '../db/entities/order.ts';
import { WebhookDelivery } from '../db/entities/order-log.ts';
import type { Database } from '../db/orm.ts';
import { pendingDeliveries } from '../db/queries/order-deliveries.ts';
import { DomainError } from '../domain/errors.ts';
import type { StageDurations } from '../domain/order-state.ts';
import { aboutOrder } from '../tracing/tracing.ts';
import type { OrderGateway } from './gateway.ts';
import { startInput } from './start-order.ts';

export interface RedeliverDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
  durations: StageDurations;
}

/** Whose webhooks may be meant: those of an agent key's orders, or all there are. */
export type WhoseWebhooks = number | 'anybody';

/**
 * Has a webhook that was delivered or given up sent again: the same bytes, the same id, as many attempts anew.
 * Refuses with `not_found` for others' webhooks, `delivery_pending` while it is being sent, `unavailable` while
 * Temporal is away.
 */
export type Redeliver = (whose: WhoseWebhooks, deliveryId: number) => Promise<void>;

/**
 * The order's own workflow sends it, in its turn among the order's webhooks; where that has ended, a new run of it
 * does nothing else. The row is made to owe the webhook first, so that the reconciler finds what Temporal loses.
 */
export const createRedeliver =
  ({ db, gateway, log, durations }: RedeliverDeps): Redeliver =>
  async (whose, deliveryId) => {
    const delivery = await db.em().findOne(WebhookDelivery, { id: deliveryId });
    const order = delivery && (await db.em().findOne(Order, { id: delivery.order_id }));
    if (!order || (whose !== 'anybody' && order.agent_key_id !== whose)) throw new DomainError('not_found');
    aboutOrder(order.id, order.traceparent);
    if (!(await gateway.isReachable())) throw new DomainError('unavailable', undefined, { retryAfter: 2 });
    const closed = await reopenDelivery(db, deliveryId);
    if (!closed) throw new DomainError('delivery_pending');
    crashPoint('redelivery.reopened');

    try {
      const owed = await pendingDeliveries(db, order.id);
      await gateway.redeliver(
        startInput(order, durations, { webhooks: owed, autoClaims: true }),
        order,
        delivery.seq,
      );
    } catch (error) {
      log.warn({ err: error, orderId: order.id, deliveryId }, 'a webhook could not be sent again');
      await closeAgain(db, closed);
      throw new DomainError('unavailable', undefined, { retryAfter: 2, cause: error });
    }
  };

import type { Logger } from 'pino';
import { LpWebhook } from '../../db/entities/lp-webhook.ts';
import { Order } from '../../db/entities/order.ts';
import { WebhookDelivery } from '../../db/entities/order-log.ts';
import type { Database } from '../../db/orm.ts';
import { DomainError } from '../../domain/errors.ts';
import { startInput } from '../../orders/start-order.ts';
import { crashPoint } from '../../process/crash-point.ts';
import { aboutOrder } from '../../process/tracing/tracing.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import { isAboutOrder, pendingDeliveries } from './list-deliveries.ts';
import { closeAgain, reopenDelivery } from './reopen-delivery.ts';

export interface RedeliverDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
}

/** The webhooks that the caller may redeliver: those of one agent key's orders, or all. */
export type WhoseWebhooks = number | 'anybody';

/**
 * Sends a finished webhook again: the same bytes, the same id, and the full number of attempts.
 * Refuses with `not_found` for another agent's webhook, `delivery_pending` while Corridor is still sending it,
 * `order_masked` if its body was removed, and `unavailable` if Temporal does not respond.
 */
export type Redeliver = (whose: WhoseWebhooks, deliveryId: number) => Promise<void>;

/**
 * The order's own workflow sends the webhook, in order with the order's other webhooks. If the workflow has ended, a
 * new run only sends webhooks. The row becomes pending first, so that the reconciler repairs a lost signal.
 */
export function createRedeliver({ db, gateway, log }: RedeliverDeps): Redeliver {
  return async (whose, deliveryId) => {
    const delivery = await db.em().findOne(WebhookDelivery, { id: deliveryId });
    // An agent sees only its own webhooks, not those to LPs about its orders.
    if (delivery?.lp_id != null) return redeliverToLp(delivery, delivery.lp_id, whose);
    if (!delivery || !isAboutOrder(delivery)) throw new DomainError('not_found');
    const order = await db.em().findOne(Order, { id: delivery.order_id });
    if (!order || (whose !== 'anybody' && order.agent_key_id !== whose)) throw new DomainError('not_found');
    aboutOrder(order.id, order.traceparent);
    if (order.masked_at) throw new DomainError('order_masked');
    if (!(await gateway.isReachable())) throw new DomainError('unavailable', undefined, { retryAfter: 2 });
    const closed = await reopenDelivery(db, deliveryId);
    if (!closed) throw new DomainError('delivery_pending');
    crashPoint('redelivery.reopened');

    try {
      const owed = await pendingDeliveries(db, order.id);
      await gateway.redeliver(startInput(order, { webhooks: owed, autoClaims: true }), order, delivery.seq);
    } catch (error) {
      log.warn({ err: error, orderId: order.id, deliveryId }, 'could not signal the redelivery of a webhook');
      await closeAgain(db, closed);
      throw new DomainError('unavailable', undefined, { retryAfter: 2, cause: error });
    }
  };

  /** Workers find pending webhooks of LPs without a signal. A warning goes to its own URL while a secret can sign it. */
  async function redeliverToLp(
    { id, url }: WebhookDelivery,
    lpId: number,
    whose: WhoseWebhooks,
  ): Promise<void> {
    const isOn =
      url == null
        ? await db.em().findOne(LpWebhook, { lp_id: lpId, stopped_at: null })
        : (await db.query('warned-webhook', WARNED, [lpId, url])).length > 0;
    if (whose !== 'anybody') throw new DomainError('not_found');
    if (!isOn)
      throw new DomainError(
        'not_found',
        `LP ${lpId} has turned its webhooks off, so nothing receives this one`,
      );
    if (!(await reopenDelivery(db, id))) throw new DomainError('delivery_pending');
  }
}

const WARNED = 'select from warned_webhook where lp_id = $1 and url = $2 limit 1';

import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { reopenedDeliveries } from '../db/queries/reopened-deliveries.ts';
import type { OrderGateway } from './gateway.ts';

export interface ReopenedWebhooksDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
}

/**
 * Tells workflows of webhooks that are to be sent again and that nobody has told them of: whoever made a row owe one
 * may have died before it came to that. Seen at two looks it is told, once: Temporal keeps it. Told needlessly it does
 * no harm. Where no workflow runs, the missing one is started with all that its order owes.
 */
export function createReopenedWebhooks({ db, gateway, log }: ReopenedWebhooksDeps): () => Promise<void> {
  let seen = new Map<string, 'suspected' | 'told'>();
  return async () => {
    const now = new Map<string, 'suspected' | 'told'>();
    for (const { order_id, seq, attempts } of await reopenedDeliveries(db)) {
      const key = `${order_id}/${seq}/${attempts}`;
      const before = seen.get(key);
      if (before === 'suspected') {
        await gateway.resend(order_id, seq);
        log.warn({ orderId: order_id, seq }, 'told a workflow to send a webhook again');
      }
      now.set(key, before ? 'told' : 'suspected');
    }
    seen = now;
  };
}

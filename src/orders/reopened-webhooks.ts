import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { type ReopenedDelivery, reopenedDeliveries } from '../db/queries/reopened-deliveries.ts';
import type { OrderGateway } from './gateway.ts';
import { createReminders } from './reminders.ts';

export interface ReopenedWebhooksDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'resend'>;
  log: Logger;
}

/**
 * Tells workflows of webhooks that are to be sent again and that nobody has told them of: whoever made a row owe one
 * may have died before it came to that, Temporal lose it, or a workflow drop it for what a step reported. Seen at two looks it is told, and again each minute for as long as nothing was
 * tried: told needlessly it does no harm. Where no workflow runs, the missing one is started with all that its order
 * owes. Rejects with an AggregateError when some could not be told, after all the others have been.
 */
export function createReopenedWebhooks({ db, gateway, log }: ReopenedWebhooksDeps): () => Promise<void> {
  const keyOf = ({ order_id, seq, attempts }: ReopenedDelivery) => `${order_id}/${seq}/${attempts}`;
  const tell = createReminders(keyOf, async ({ order_id, seq }) => {
    await gateway.resend(order_id, seq);
    log.warn({ orderId: order_id, seq }, 'told a workflow to send a webhook again');
  });
  return async () => {
    const failures = await tell(await reopenedDeliveries(db));
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} workflows were not told of a webhook`);
  };
}

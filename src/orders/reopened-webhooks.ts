import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { reopenedDeliveries } from '../db/queries/reopened-deliveries.ts';
import type { OrderGateway } from './gateway.ts';

export interface ReopenedWebhooksDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'resend'>;
  log: Logger;
}

/** Temporal may lose what a workflow was told, and a workflow drop it for what a step reported. */
const TELL_AGAIN_AFTER_MS = 60_000;

/**
 * Tells workflows of webhooks that are to be sent again and that nobody has told them of: whoever made a row owe one
 * may have died before it came to that. Seen at two looks it is told, and again each minute for as long as nothing was
 * tried: told needlessly it does no harm. Where no workflow runs, the missing one is started with all that its order
 * owes. Rejects with an AggregateError when some could not be told, after all the others have been.
 */
export function createReopenedWebhooks({ db, gateway, log }: ReopenedWebhooksDeps): () => Promise<void> {
  /** When each was told last; 0: not yet. */
  let seen = new Map<string, number>();
  return async () => {
    const now = new Map<string, number>();
    const failures: unknown[] = [];
    for (const { order_id, seq, attempts } of await reopenedDeliveries(db)) {
      const key = `${order_id}/${seq}/${attempts}`;
      const toldAt = seen.get(key);
      now.set(key, toldAt ?? 0);
      if (toldAt === undefined || Date.now() - toldAt <= TELL_AGAIN_AFTER_MS) continue;
      try {
        await gateway.resend(order_id, seq);
        now.set(key, Date.now());
        log.warn({ orderId: order_id, seq }, 'told a workflow to send a webhook again');
      } catch (error) {
        failures.push(error);
      }
    }
    seen = now;
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} workflows were not told of a webhook`);
  };
}

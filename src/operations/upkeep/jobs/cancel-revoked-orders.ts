import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../../db/orm.ts';
import { isOfRevokedAgent } from '../../../db/revoked-agent.ts';
import { type StartableOrder, startableOrders, wakes } from '../../../orders/start-order.ts';
import type { OrderGateway } from '../../../temporal/gateway.ts';
import { createRepeatedAction } from '../repeated-action.ts';

export interface CancelRevokedDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'signal'>;
  log: Logger;
}

/** A slow worker does not get a second signal sooner. */
const AGAIN_AFTER_MS = 60_000;

/**
 * Orders of revoked agent keys that the revocation has not reached yet: unclaimed, or claimed without a receipt and without a
 * grace. The steps check the same.
 */
const REVOKED = `
  select o.id from orders o
  where ${isOfRevokedAgent('o')} and o.status in ('matched', 'claimed')
    and o.receipt_url is null and o.frozen_ms is null
    and not exists (select from order_event e where e.order_id = o.id and e.cause = 'revoke')
  order by o.id
  limit 1000`;

/**
 * Signals the orders of revoked agent keys: an unclaimed one ends, and the LP of a claimed one gets time to report fiat that
 * it has sent. The revocation itself already prevents payments and claims. A job sends the signals, so that they are sent
 * even if the process that revoked the key dies.
 */
export function createRevokedOrderCancelling({ db, gateway, log }: CancelRevokedDeps): () => Promise<void> {
  const cancel = createRepeatedAction<StartableOrder>({
    // An order that has obeyed the signal has another version.
    keyOf: ({ id, version }) => `${id}/${version}`,
    repeatAfterMs: () => AGAIN_AFTER_MS,
    run: async (order) => {
      const { id, version: forVersion } = order;
      // An order without a workflow gets one from `startMissingWorkflows`, and this signal after that.
      const command = { trigger: 'revoke' } as const;
      const request = { requestId: randomUUID(), actor: 'service', command, forVersion };
      await gateway.signal(id, request, wakes(order));
      log.info({ orderId: id }, 'sent an order the signal that its agent key is revoked');
    },
  });
  return async () => {
    const revoked = await db.query<{ id: number }>('revoked-orders', REVOKED, []);
    await cancel(
      revoked.length === 0
        ? []
        : await startableOrders(
            db,
            revoked.map(({ id }) => id),
          ),
    );
  };
}

import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import { type ReopenedDelivery, reopenedDeliveries } from '../../webhooks/reopened-deliveries.ts';
import { createRepeatedAction } from '../repeated-action.ts';

export interface ResendDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'resend'>;
  log: Logger;
}

const AGAIN_AFTER_MS = 60_000;

/**
 * Signals workflows to send the webhooks that were reopened and not tried since. The process that reopened one may have
 * died before its signal, Temporal may have lost the signal, or the workflow may have dropped the webhook for the list
 * that a step reported. A needless signal does no harm. Where no workflow runs, the missing one is started with all
 * webhooks that its order owes.
 */
export function createReopenedWebhookResend({ db, gateway, log }: ResendDeps): () => Promise<void> {
  const resend = createRepeatedAction<ReopenedDelivery>({
    keyOf: ({ order_id, seq, attempts }) => `${order_id}/${seq}/${attempts}`,
    repeatAfterMs: () => AGAIN_AFTER_MS,
    act: async ({ order_id, seq }) => {
      await gateway.resend(order_id, seq);
      log.warn({ orderId: order_id, seq }, 'signalled a workflow to resend a webhook');
    },
  });
  return async () => resend(await reopenedDeliveries(db));
}

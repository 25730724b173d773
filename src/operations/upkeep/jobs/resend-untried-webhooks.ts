import type { Logger } from 'pino';
import type { Database } from '../../../db/orm.ts';
import { type UntriedDeliveries, untriedDeliveries } from '../../../notify/webhooks/untried-deliveries.ts';
import type { OrderGateway } from '../../../temporal/gateway.ts';
import { createRepeatedAction } from '../repeated-action.ts';

export interface ResendDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'resend'>;
  log: Logger;
}

const AGAIN_AFTER_MS = 60_000;

/**
 * Signals workflows to send pending webhooks that nobody attempts. There are several causes. The process that reopened
 * a webhook may have died before its signal. Temporal may have lost the signal. The workflow may have dropped the
 * webhook in favour of the list that a step reported. Or somebody who reaches Temporal has replaced the workflow by one
 * that owes nothing. A needless signal does no harm. If no workflow runs, `startMissingWorkflows` starts one with all
 * webhooks that its order owes.
 */
export function createUntriedWebhookResend({ db, gateway, log }: ResendDeps): () => Promise<void> {
  const resend = createRepeatedAction<UntriedDeliveries>({
    // An attempt changes the key.
    keyOf: ({ order_id, seqs, attempts }) => `${order_id}/${seqs}/${attempts}`,
    repeatAfterMs: () => AGAIN_AFTER_MS,
    run: async ({ order_id, seqs }) => {
      for (const seq of seqs) await gateway.resend(order_id, seq);
      log.warn({ orderId: order_id, seqs }, 'signalled a workflow to resend webhooks');
    },
  });
  return async () => resend(await untriedDeliveries(db));
}

import { ApplicationFailure } from '@temporalio/activity';
import { signatureHeaders } from '../src/adapters/webhook-signature.ts';
import { crashPoint } from '../src/crash-point.ts';
import { fixBody, loadDelivery, recordAttempt } from '../src/db/queries/webhook-deliveries.ts';
import { webhookData } from '../src/domain/order-view.ts';
import type { ActivityDeps } from './deps.ts';

/** Contract: "Webhook attempts: three". */
export const MAX_ATTEMPTS = 3;

export interface WebhookActivities {
  deliverWebhook: (input: { orderId: number; seq: number }) => Promise<'delivered' | 'exhausted'>;
}

/**
 * One attempt per run; a failure with attempts left fails the activity, so that Temporal's retry policy spaces them.
 * Attempts are counted in the database, after each answer: when our own database is away, none is used up, and when
 * the worker dies between the POST and the record, the receiver sees the same bytes once more.
 */
export const webhookActivities = ({ db, sendWebhook, webhookSecret }: ActivityDeps): WebhookActivities => ({
  deliverWebhook: async ({ orderId, seq }) => {
    const delivery = await loadDelivery(db, orderId, seq);
    if (delivery.state !== 'pending') return delivery.state;

    const body = delivery.body ?? (await fixBody(db, orderId, seq, webhookBody(delivery.event)));
    const answer = await sendWebhook({
      url: delivery.url,
      body,
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders(webhookSecret, { deliveryId: delivery.id, body, at: new Date() }),
      },
    });

    const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
    const attempt = delivery.attempts + 1;
    // Sent again on request, a webhook gets as many attempts anew.
    const inCycle = attempt - delivery.attemptsBefore;
    const state = delivered ? 'delivered' : inCycle >= MAX_ATTEMPTS ? 'exhausted' : 'pending';
    crashPoint('webhook.sent');
    await recordAttempt(db, { orderId, seq, attempt, state, answer });
    crashPoint('webhook.recorded');
    if (state !== 'pending') return state;
    throw ApplicationFailure.create({
      message: `Attempt ${inCycle} of ${MAX_ATTEMPTS}: ${answer.error ?? `the receiver answered ${answer.status}`}`,
      type: 'WebhookNotDelivered',
      category: 'BENIGN',
    });
  },
});

/** Contract: "Events", "Body". */
function webhookBody(event: {
  order_id: number;
  status: string;
  created_at: Date;
  snapshot: object;
}): string {
  return JSON.stringify({
    event: 'order.status_changed',
    order_id: event.order_id,
    status: event.status,
    timestamp: event.created_at.toISOString(),
    data: webhookData(event.snapshot),
  });
}

import type { WebhookAttempt, WebhookDelivery } from '../../../db/entities/order-log.ts';
import type { AnyDelivery, ListedDelivery } from '../../../notify/webhooks/list-deliveries.ts';
import type { DeliveryView, ListedDeliveryView } from './schemas.ts';

/** The agent's view of a webhook. */
export const deliveryView = (listed: ListedDelivery): DeliveryView => ({
  ...stateView(listed.delivery),
  order_id: listed.delivery.order_id,
  seq: listed.delivery.seq,
  status: listed.status,
  body: listed.delivery.body ?? null,
  attempts: listed.attempts.map(attemptView),
});

const stateView = ({ id, state, created_at }: WebhookDelivery) => ({
  ...{ id, state },
  created_at: created_at.toISOString(),
});

const attemptView = ({ attempt, status_code, error, answer, duration_ms, created_at }: WebhookAttempt) => ({
  attempt,
  status_code: status_code ?? null,
  error: error ?? null,
  answer: answer ?? null,
  duration_ms,
  at: created_at.toISOString(),
});

/** The admins' view of a webhook. Bodies to LPs about orders have recipients, which admins do not see elsewhere. */
export const adminDeliveryView = (listed: AnyDelivery): ListedDeliveryView => ({
  ...stateView(listed.delivery),
  body: (isToLpAboutOrder(listed.delivery) ? null : listed.delivery.body) ?? null,
  attempts: listed.attempts.map(attemptView),
  order_id: listed.delivery.order_id ?? null,
  seq: listed.delivery.seq ?? null,
  status: listed.status,
  agent_key_id: listed.agentKeyId,
  lp_id: listed.delivery.lp_id ?? null,
  lp_event: listed.delivery.lp_event ?? null,
  callback_url: listed.callbackUrl,
});

const isToLpAboutOrder = ({ lp_id, order_id }: WebhookDelivery): boolean => lp_id != null && order_id != null;

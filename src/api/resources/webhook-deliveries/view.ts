import type { AnyDelivery, ListedDelivery } from '../../../webhooks/list-deliveries.ts';
import type { DeliveryView, ListedDeliveryView } from './schemas.ts';

/** The agent's view of a webhook. */
export const deliveryView = (listed: ListedDelivery): DeliveryView => ({
  ...stateView(listed),
  order_id: listed.delivery.order_id,
  seq: listed.delivery.seq,
  status: listed.status,
});

const stateView = ({ delivery, attempts }: Pick<AnyDelivery, 'delivery' | 'attempts'>) => ({
  id: delivery.id,
  state: delivery.state,
  created_at: delivery.created_at.toISOString(),
  attempts: attempts.map(({ attempt, status_code, error, duration_ms, created_at }) => ({
    attempt,
    status_code: status_code ?? null,
    error: error ?? null,
    duration_ms,
    at: created_at.toISOString(),
  })),
});

/** The admins' view of a webhook. */
export const adminDeliveryView = (listed: AnyDelivery): ListedDeliveryView => ({
  ...stateView(listed),
  order_id: listed.delivery.order_id ?? null,
  seq: listed.delivery.seq ?? null,
  status: listed.status,
  agent_key_id: listed.agentKeyId,
  lp_id: listed.delivery.lp_id ?? null,
  lp_event: listed.delivery.lp_event ?? null,
  callback_url: listed.callbackUrl,
});

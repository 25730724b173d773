import type { AnyDelivery, ListedDelivery } from '../../../webhooks/list-deliveries.ts';
import type { DeliveryView, ListedDeliveryView } from './schemas.ts';

/** A webhook as its agent sees it. */
export const deliveryView = ({ delivery, status, attempts }: ListedDelivery): DeliveryView => ({
  id: delivery.id,
  order_id: delivery.order_id,
  seq: delivery.seq,
  status,
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

/** A webhook as admins see it. */
export const adminDeliveryView = ({
  agentKeyId,
  callbackUrl,
  ...delivery
}: AnyDelivery): ListedDeliveryView => ({
  ...deliveryView(delivery),
  agent_key_id: agentKeyId,
  lp_id: delivery.delivery.lp_id ?? null,
  lp_event: delivery.delivery.lp_event ?? null,
  callback_url: callbackUrl,
});

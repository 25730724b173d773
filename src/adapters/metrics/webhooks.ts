import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import { DELIVERY_STATES, type DeliveryState } from '../../domain/delivery-state.ts';
import type { WebhookAnswer, WebhookSender } from '../ports.ts';

export interface WebhookMetrics {
  attempted: (answer: WebhookAnswer) => void;
  /** `lagSeconds`: from the order's event to now; null for a redelivery. */
  ended: (state: DeliveryState, lagSeconds: number | null) => void;
}

const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LAG_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/** Webhook attempts by outcome, deliveries by final state, and their lag. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const attempts = new Histogram({
    name: 'corridor_webhook_attempt_duration_seconds',
    help: 'Duration of webhook attempts: accepted (2xx), refused, unreachable',
    labelNames: ['outcome'],
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const deliveries = new Counter({
    name: 'corridor_webhook_deliveries_total',
    help: 'Webhooks without further attempts: delivered or exhausted',
    labelNames: ['state'],
    registers,
  });
  for (const state of DELIVERY_STATES) if (state !== 'pending') deliveries.inc({ state }, 0);
  const lag = new Histogram({
    name: 'corridor_webhook_delivery_lag_seconds',
    help: 'Time from an order’s change until the delivery of its webhook',
    buckets: LAG_BUCKETS,
    registers,
  });
  return {
    attempted: (answer) => attempts.observe({ outcome: outcomeOf(answer) }, answer.durationMs / 1_000),
    ended: (state, lagSeconds) => {
      deliveries.inc({ state });
      if (state === 'delivered' && lagSeconds !== null) lag.observe(lagSeconds);
    },
  };
}

function outcomeOf({ status }: WebhookAnswer): 'accepted' | 'refused' | 'unreachable' {
  if (status === null) return 'unreachable';
  return status >= 200 && status < 300 ? 'accepted' : 'refused';
}

/** The same sender, with its attempts counted. */
export const meteredSender =
  (send: WebhookSender, metrics: WebhookMetrics): WebhookSender =>
  async (request) => {
    const answer = await send(request);
    metrics.attempted(answer);
    return answer;
  };

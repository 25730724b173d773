import { z } from 'zod';
import { ok } from '../contract/answers.ts';
import { type DeliveryView, deliveriesQuery, deliveriesResponse } from '../contract/webhook-deliveries.ts';
import { type ListedDelivery, listDeliveries } from '../db/queries/order-deliveries.ts';
import { findAgentOrder } from '../db/queries/orders.ts';
import { DomainError } from '../domain/errors.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { idFrom } from './validate.ts';

/** What became of an order's webhooks, and another try for one that was missed. */
export const webhookDeliveryRoutes = ({ db, redeliver, settings }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/v1/webhook-deliveries',
    auth: 'agent',
    summary: 'List the webhooks of an order, with every attempt',
    query: deliveriesQuery,
    answers: { 200: deliveriesResponse },
    refuses: ['not_found'],
    handle: async ({ principal, query }) => {
      const order = await findAgentOrder(db, query.order_id, principal.id);
      if (!order) throw new DomainError('not_found');
      const deliveries = await listDeliveries(db, order.id);
      return { status: 200, body: { deliveries: deliveries.map(deliveryView) } };
    },
  }),
  route({
    method: 'post',
    path: '/api/v1/webhook-deliveries/:id/redeliver',
    auth: 'agent',
    summary: 'Send a webhook again',
    description: 'The same bytes under the same `webhook-id`, with up to three attempts anew.',
    answers: { 202: ok },
    refuses: ['not_found', 'delivery_pending'],
    keyLimit: { name: 'redeliver', max: settings.redeliverRateLimit },
    body: z.object({}),
    handle: async ({ principal, params }) => {
      await redeliver(principal.id, idFrom(params.id));
      return { status: 202, body: { ok: true } };
    },
  }),
];

/** A webhook as the agent sees it whose order it tells of. */
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

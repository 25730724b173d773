import { z } from 'zod';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { DomainError } from '../../../domain/errors.ts';
import {
  findDeliveries,
  listAgentDeliveries,
  listDeliveries,
} from '../../../notify/webhooks/list-deliveries.ts';
import { findAgentOrder } from '../../../orders/find-order.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { DEFAULT_LIMIT, pageOf } from '../../schemas/pages.ts';
import { ok } from '../../schemas/response-fields.ts';
import { deliveriesQuery, deliveriesResponse, deliveryPage, listedDeliveryQuery } from './schemas.ts';
import { adminDeliveryView, deliveryView } from './view.ts';

/** Agents list and redeliver the webhooks of their own orders. Admins do the same for all orders. */
export const webhookDeliveryRoutes = ({ db, redeliver, settings }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/v1/webhook-deliveries',
    auth: 'agent',
    scope: 'webhooks',
    summary: 'List the agent’s webhooks, with every attempt and its answer',
    query: deliveriesQuery,
    answers: { 200: deliveriesResponse },
    refuses: ['not_found'],
    handle: async ({ principal, query }) => {
      const { order_id, limit = DEFAULT_LIMIT, ...rest } = query;
      if (order_id === undefined) {
        const found = await listAgentDeliveries(db, principal.id, { ...rest, limit: limit + 1 });
        const { page, next_cursor } = pageOf(found.map(deliveryView), { limit });
        return { status: 200, body: { deliveries: page, next_cursor } };
      }
      const order = await findAgentOrder(db, order_id, principal.id);
      if (!order) throw new DomainError('not_found');
      const deliveries = (await listDeliveries(db, order.id)).map(deliveryView);
      return { status: 200, body: { deliveries, next_cursor: null } };
    },
  }),
  route({
    method: 'post',
    path: '/api/v1/webhook-deliveries/:id/redeliver',
    auth: 'agent',
    scope: 'webhooks',
    summary: 'Send a webhook again',
    description: 'Sends the same body under the same `webhook-id`, with up to three new attempts.',
    answers: { 202: ok },
    refuses: ['not_found', 'delivery_pending', 'order_masked'],
    keyLimit: { name: 'redeliver', max: settings.limits.redeliver },
    body: z.object({}),
    handle: async ({ principal, params }) => {
      await redeliver(principal.id, idFrom(params.id));
      return { status: 202, body: { ok: true } };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/webhook-deliveries',
    auth: 'admin',
    summary: 'List the webhooks of all orders, newest first, with every attempt',
    description: 'Includes the webhooks to LPs. They have `lp_id` and `lp_event`.',
    answers: { 200: deliveryPage },
    refuses: [],
    query: listedDeliveryQuery,
    handle: async ({ query }) => {
      const { state, order_id } = query;
      const filters = { ...(state ? { state } : {}), ...(order_id ? { order_id } : {}) };
      const found = await findDeliveries(db, { ...afterCursor(query), ...filters }, pageOptions(query));
      const { page, next_cursor } = pageOf(found.map(adminDeliveryView), query);
      return { status: 200, body: { deliveries: page, next_cursor } };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/webhook-deliveries/:id/redeliver',
    auth: 'admin',
    permission: 'webhooks:redeliver',
    summary: 'Send a webhook of any order again',
    description: 'Sends the same body under the same `webhook-id`, with up to three new attempts.',
    answers: { 202: ok },
    refuses: ['not_found', 'delivery_pending', 'order_masked'],
    body: z.object({}),
    handle: async ({ params }) => {
      await redeliver('anybody', idFrom(params.id));
      return { status: 202, body: { ok: true } };
    },
  }),
];

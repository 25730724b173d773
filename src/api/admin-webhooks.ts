import { z } from 'zod';
import { ok } from '../contract/answers.ts';
import { pageOf } from '../contract/pages.ts';
import {
  deliveryPage,
  type ListedDeliveryView,
  listedDeliveryQuery,
} from '../contract/webhook-deliveries.ts';
import { type AnyDelivery, findDeliveries } from '../db/queries/order-deliveries.ts';
import { afterCursor, pageOptions } from '../db/queries/pages.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { idFrom } from './validate.ts';
import { deliveryView } from './webhook-deliveries.ts';

/** The webhooks of all orders, and another try for any of them. */
export const adminWebhookRoutes = ({ db, redeliver }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/admin/webhook-deliveries',
    auth: 'admin',
    summary: 'List the webhooks of all orders, newest first, with every attempt',
    answers: { 200: deliveryPage },
    refuses: [],
    query: listedDeliveryQuery,
    handle: async ({ query }) => {
      const { state, order_id } = query;
      const filters = { ...(state ? { state } : {}), ...(order_id ? { order_id } : {}) };
      const found = await findDeliveries(db, { ...afterCursor(query), ...filters }, pageOptions(query));
      const { page, next_cursor } = pageOf(found.map(listed), query);
      return { status: 200, body: { deliveries: page, next_cursor } };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/webhook-deliveries/:id/redeliver',
    auth: 'admin',
    summary: 'Send a webhook of any order again',
    description: 'The same bytes under the same `webhook-id`, with up to three attempts anew.',
    answers: { 202: ok },
    refuses: ['not_found', 'delivery_pending'],
    body: z.object({}),
    handle: async ({ params }) => {
      await redeliver('anybody', idFrom(params.id));
      return { status: 202, body: { ok: true } };
    },
  }),
];

const listed = ({ agentKeyId, callbackUrl, ...delivery }: AnyDelivery): ListedDeliveryView => ({
  ...deliveryView(delivery),
  agent_key_id: agentKeyId,
  callback_url: callbackUrl,
});

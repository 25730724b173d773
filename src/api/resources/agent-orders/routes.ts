import { statusView } from '../../../domain/order-view.ts';
import { listAgentOrders } from '../../../orders/list-orders.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { ordersQuery, ordersResponse, timelineResponse } from './schemas.ts';
import { timelineOf } from './timeline.ts';

/** An agent's own orders, and their timelines. */
export const agentOrderRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/v1/orders',
    auth: 'agent',
    summary: 'List the agent’s own orders, newest first',
    query: ordersQuery,
    answers: { 200: ordersResponse },
    refuses: [],
    handle: async ({ principal, query }) => {
      const { cursor, limit, status, currency, created_from, created_to } = query;
      const filter = {
        before: cursor === undefined ? undefined : Number(cursor),
        status,
        currency,
        createdFrom: created_from,
        createdTo: created_to,
      };
      // One more row than the page shows reveals whether another page follows.
      const found = await listAgentOrders(db, principal.id, filter, limit + 1);
      const orders = found.slice(0, limit).map(statusView);
      const next_cursor = found.length > limit ? String(orders.at(-1)?.order_id) : null;
      return { status: 200, body: { orders, next_cursor } };
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/orders/:orderId/timeline',
    auth: 'agent',
    loads: 'order',
    summary: 'Read every transition of an order, and what the order waits for',
    answers: { 200: timelineResponse },
    refuses: ['not_found'],
    handle: async ({ order }) => ({ status: 200, body: await timelineOf(db, order, 'agent') }),
  }),
];

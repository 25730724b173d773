import { ordersQuery, ordersResponse, timelineResponse } from '../contract/agent-orders.ts';
import { listAgentOrders } from '../db/queries/agent-orders.ts';
import { statusView } from '../domain/order-view.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { timelineOf } from './timeline.ts';

/** How an agent looks back at its orders: the list, and what became of each. */
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
      // One more than asked for tells whether there is another page.
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
    summary: 'Read every transition of an order, and what it waits for',
    answers: { 200: timelineResponse },
    refuses: ['not_found'],
    handle: async ({ order }) => ({ status: 200, body: await timelineOf(db, order) }),
  }),
];

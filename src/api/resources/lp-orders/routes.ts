import { DomainError } from '../../../domain/errors.ts';
import { ownOrderView } from '../../../domain/offer-view.ts';
import { ordersOfLp } from '../../../market/lps/orders.ts';
import { hasOwned } from '../../../orders/order-party.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { pageOf } from '../../schemas/pages.ts';
import { timelineResponse } from '../agent-orders/schemas.ts';
import { timelineOf } from '../agent-orders/timeline.ts';
import { ownOrdersQuery, ownOrdersResponse } from './schemas.ts';

/** The orders that an LP owns or owned, and their timelines. */
export const lpOrderRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/lp/:lp_key/orders',
    auth: 'lp',
    summary: 'List the orders that the LP owns or owned, newest first',
    query: ownOrdersQuery,
    answers: { 200: ownOrdersResponse },
    refuses: [],
    handle: async ({ principal: lp, query }) => {
      const { page, next_cursor } = pageOf(await ordersOfLp(db, lp.id, query), query);
      return { status: 200, body: { orders: page.map((row) => ownOrderView(row, lp)), next_cursor } };
    },
  }),
  route({
    method: 'get',
    path: '/api/lp/:lp_key/orders/:order_id/timeline',
    auth: 'lp',
    loads: 'order',
    summary: 'Read every transition of an order that the LP owns or owned, and what the order waits for',
    answers: { 200: timelineResponse },
    refuses: ['not_found'],
    handle: async ({ principal: lp, order }) => {
      if (!hasOwned(order, lp.id)) throw new DomainError('not_found');
      return { status: 200, body: await timelineOf(db, order, 'lp') };
    },
  }),
];

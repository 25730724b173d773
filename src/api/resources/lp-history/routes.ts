import { DomainError } from '../../../domain/errors.ts';
import { firstDayOf, historyOf } from '../../../domain/lp-history.ts';
import { completedSince, MAX_ORDERS_READ } from '../../../lps/completed-orders.ts';
import { hasOwned } from '../../../orders/order-party.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { timelineResponse } from '../agent-orders/schemas.ts';
import { timelineOf } from '../agent-orders/timeline.ts';
import { historyQuery, historyResponse } from './schemas.ts';

/** An LP's completed orders by day, and the timelines of the orders that it owns or owned. */
export const lpHistoryRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/lp/:lp_key/history',
    auth: 'lp',
    summary: 'Read the LP’s completed orders by day',
    description: `Covers only the LP’s newest ${MAX_ORDERS_READ} orders.`,
    query: historyQuery,
    answers: { 200: historyResponse },
    refuses: [],
    handle: async ({ principal: lp, query: { days } }) => {
      const now = new Date();
      const completed = await completedSince(db, lp.id, firstDayOf(now, days));
      return { status: 200, body: { days: historyOf(completed, now, days) } };
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
      return { status: 200, body: await timelineOf(db, order) };
    },
  }),
];

import { firstDayOf, historyOf } from '../../../domain/lp-history.ts';
import { completedSince, MAX_ORDERS_READ } from '../../../market/lps/completed-orders.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { historyQuery, historyResponse } from './schemas.ts';

/** An LP's completed orders by day. */
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
];

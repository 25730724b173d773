import { timelineResponse } from '../contract/agent-orders.ts';
import { historyQuery, historyResponse } from '../contract/lp-history.ts';
import { completedSince, LOOKED_AT } from '../db/queries/lp-history.ts';
import { DomainError } from '../domain/errors.ts';
import { firstDayOf, historyOf } from '../domain/lp-history.ts';
import type { ApiDeps } from './deps.ts';
import { hasHad } from './order-party.ts';
import { type Route, route } from './route.ts';
import { timelineOf } from './timeline.ts';

/** How an LP looks back: at its days, and at what became of an order that it has or had. */
export const lpHistoryRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/lp/:lp_key/history',
    auth: 'lp',
    summary: 'Read what the LP has completed, by day',
    description: `Of its newest ${LOOKED_AT} orders.`,
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
    summary: 'Read every transition of an order that the LP has or had, and what it waits for',
    answers: { 200: timelineResponse },
    refuses: ['not_found'],
    handle: async ({ principal: lp, order }) => {
      if (!hasHad(order, lp.id)) throw new DomainError('not_found');
      return { status: 200, body: await timelineOf(db, order) };
    },
  }),
];

import type { FilterQuery } from '@mikro-orm/core';
import { orderWorkflowId } from '../../workflows/messages.ts';
import {
  type AdminOrder,
  adminOrderDetail,
  type OrderQuery,
  orderPage,
  orderQuery,
} from '../contract/admin-orders.ts';
import { timelineResponse } from '../contract/agent-orders.ts';
import { pageOf } from '../contract/pages.ts';
import { Order } from '../db/entities/order.ts';
import { afterCursor, pageOptions } from '../db/queries/pages.ts';
import { orderView } from '../domain/order-view.ts';
import { anyOrder } from './any-order.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { timelineOf } from './timeline.ts';

/** Every agent's orders. What operators look for beyond it is in the Temporal UI, to which each order leads. */
export const adminOrderRoutes = ({ db, settings }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/admin/orders',
    auth: 'admin',
    summary: 'List the orders, newest first',
    answers: { 200: orderPage },
    refuses: [],
    query: orderQuery,
    handle: async ({ query }) => {
      const rows = await db.em().find(Order, { $and: filters(query) }, pageOptions(query));
      const { page, next_cursor } = pageOf(rows, query);
      return { status: 200, body: { orders: page.map(adminOrderView), next_cursor } };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/orders/:id',
    auth: 'admin',
    summary: 'Read any order, and where its workflow is shown',
    answers: { 200: adminOrderDetail },
    refuses: ['not_found'],
    handle: async ({ params }) => {
      const order = await anyOrder(db, params.id);
      const { workflowsUrl } = settings;
      const workflow_url = workflowsUrl ? `${workflowsUrl}/${orderWorkflowId(order.id)}` : null;
      return { status: 200, body: { ...adminOrderView(order), workflow_url } };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/orders/:id/timeline',
    auth: 'admin',
    summary: 'Read every transition of any order, and what it waits for',
    answers: { 200: timelineResponse },
    refuses: ['not_found'],
    handle: async ({ params }) => {
      return { status: 200, body: await timelineOf(db, await anyOrder(db, params.id)) };
    },
  }),
];

type AdminPart = Pick<
  AdminOrder,
  'agent_key_id' | 'status_reason' | 'version' | 'frozen' | 'collateral_locked' | 'slashed_usd'
>;

function filters(query: OrderQuery): FilterQuery<Order>[] {
  const { status, currency, agent_key_id, lp_id, created_from, created_to } = query;
  const all: FilterQuery<Order>[] = [afterCursor(query)];
  if (status) all.push({ status });
  if (currency) all.push({ currency });
  if (agent_key_id) all.push({ agent_key_id });
  if (lp_id) all.push({ lp_id });
  if (created_from) all.push({ created_at: { $gte: created_from } });
  if (created_to) all.push({ created_at: { $lt: created_to } });
  return all;
}

/** An order for admins. */
export const adminOrderView = (order: Order): AdminOrder => ({
  ...(orderView(order, 'party') as Omit<AdminOrder, keyof AdminPart>),
  agent_key_id: order.agent_key_id,
  status_reason: order.status_reason ?? null,
  version: order.version,
  frozen: order.frozen_ms !== null && order.frozen_ms !== undefined,
  collateral_locked: order.collateral_locked ? Number(order.collateral_locked) : null,
  slashed_usd: order.slashed_usd ? Number(order.slashed_usd) : null,
});

import { type FilterQuery, raw } from '@mikro-orm/core';
import type { z } from 'zod';
import { orderWorkflowId } from '../../../../workflows/messages.ts';
import { adminActor } from '../../../access/find-admin.ts';
import { Order } from '../../../db/entities/order.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { isOfRevokedAgent } from '../../../db/revoked-agent.ts';
import { invalidField } from '../../../domain/errors.ts';
import type { AdminActor } from '../../../domain/order-commands.ts';
import type { ErrorCode } from '../../../http/errors.ts';
import { findOrder } from '../../../orders/find-order.ts';
import { dryRunResolution } from '../../../orders/resolution-dry-run.ts';
import { type Posting, postingsOf } from '../../../orders/resolution-postings.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { reasonRequest } from '../../schemas/order-commands.ts';
import { pageOf } from '../../schemas/pages.ts';
import { timelineResponse } from '../agent-orders/schemas.ts';
import { timelineOf } from '../agent-orders/timeline.ts';
import {
  adminOrder,
  adminOrderDetail,
  extendRequest,
  type OrderQuery,
  orderPage,
  orderQuery,
  resolveQuery,
  resolveRequest,
  resolveResponse,
  retryRequest,
} from './schemas.ts';
import { adminOrderView, postingView } from './view.ts';

/** Admins read the orders of all agents, and move an order that waits too long for a party or a chain. */
export function adminOrderRoutes({ db, commands, workflowsUrl }: ApiDeps): Route[] {
  return [
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
      loads: 'order',
      summary: 'Read any order, with the link to its workflow',
      answers: { 200: adminOrderDetail },
      refuses: ['not_found'],
      handle: async ({ order }) => {
        const workflow_url = workflowsUrl ? `${workflowsUrl}/${orderWorkflowId(order.id)}` : null;
        return { status: 200, body: { ...adminOrderView(order), workflow_url } };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/orders/:id/timeline',
      auth: 'admin',
      loads: 'order',
      summary: 'Read every transition of any order, and what the order waits for',
      answers: { 200: timelineResponse },
      refuses: ['not_found'],
      handle: async ({ order }) => ({ status: 200, body: await timelineOf(db, order) }),
    }),
    route({
      method: 'post',
      path: '/api/admin/orders/:id/resolve',
      auth: 'admin',
      permission: 'orders:resolve',
      loads: 'order',
      summary: 'Resolve a dispute',
      query: resolveQuery,
      answers: { 200: resolveResponse },
      refuses: ['not_found', 'wrong_state', 'slash_too_high', 'transaction_used'],
      body: resolveRequest,
      approval: {
        needed: ({ body, query }) => !query.dry_run && Number(body.slash_usd) > 0,
        preview: async ({ order, body: { outcome, slash_usd: slashUsd } }) => ({
          postings: (await dryRunResolution(db, order, { outcome, slashUsd })).map(postingView),
        }),
      },
      handle: async ({ order, principal, query: { dry_run }, body }) => {
        const { outcome, slash_usd: slashUsd, reason } = body;
        const resolution = { outcome, slashUsd };
        const response = (postings: Posting[]) => ({
          status: 200 as const,
          body: { order_id: order.id, status: outcome, dry_run, postings: postings.map(postingView) },
        });
        if (dry_run) return response(await dryRunResolution(db, order, resolution));
        await commands.resolve(order, resolution, adminActor(principal), reason);
        const { version } = await reread(order);
        return response(await postingsOf(db, order.id, version));
      },
    }),
    commandRoute(
      'cancel',
      'Cancel an order that no LP has claimed yet',
      reasonRequest,
      ['wrong_state'],
      (order, { reason }, admin) => commands.cancel(order, admin, reason),
    ),
    commandRoute(
      'extend',
      'Move an order’s deadline to a later time',
      extendRequest,
      ['wrong_state', 'not_an_extension'],
      (order, { until, reason }, admin) => extend(order, until, admin, reason),
    ),
    commandRoute(
      'freeze',
      'Freeze an order and stop its deadline timer',
      reasonRequest,
      ['wrong_state'],
      (order, { reason }, admin) => commands.freeze(order, admin, reason),
    ),
    commandRoute(
      'unfreeze',
      'Unfreeze an order and restart its deadline timer',
      reasonRequest,
      ['wrong_state'],
      (order, { reason }, admin) => commands.unfreeze(order, admin, reason),
    ),
    commandRoute(
      'retry-verification',
      'Verify an order’s transaction again, immediately',
      retryRequest,
      ['wrong_state', 'nothing_to_verify'],
      (order, { tx_hash, reason }, admin) => commands.retryVerification(order, tx_hash, admin, reason),
    ),
  ];

  /** A route that moves an order and returns the order in its new state. */
  function commandRoute<Body>(
    name: string,
    summary: string,
    body: z.ZodType<Body>,
    refuses: ErrorCode[],
    move: (order: Order, body: Body, admin: AdminActor) => Promise<unknown>,
  ): Route {
    return route({
      method: 'post',
      path: `/api/admin/orders/:id/${name}`,
      auth: 'admin',
      permission: 'orders:operate',
      loads: 'order',
      summary,
      answers: { 200: adminOrder },
      refuses: ['not_found', 'order_frozen', ...refuses],
      body,
      handle: async ({ order, principal, body: given }) => {
        await move(order, given, adminActor(principal));
        return { status: 200, body: adminOrderView(await reread(order)) };
      },
    });
  }

  async function reread({ id }: Order): Promise<Order> {
    const order = await findOrder(db, id);
    if (!order) throw new Error(`Order ${id} is no longer in the database`);
    return order;
  }

  function extend(order: Order, until: Date, admin: AdminActor, reason: string) {
    if (until <= new Date()) throw invalidField('until', 'must be in the future');
    return commands.extend(order, until, admin, reason);
  }
}

function filters(query: OrderQuery): FilterQuery<Order>[] {
  const { status, currency, agent_key_id, lp_id, revoked_agent, created_from, created_to } = query;
  const all: FilterQuery<Order>[] = [afterCursor(query)];
  if (status) all.push({ status });
  if (currency) all.push({ currency });
  if (agent_key_id) all.push({ agent_key_id });
  if (lp_id) all.push({ lp_id });
  if (revoked_agent) all.push({ [raw(isOfRevokedAgent)]: true });
  if (created_from) all.push({ created_at: { $gte: created_from } });
  if (created_to) all.push({ created_at: { $lt: created_to } });
  return all;
}

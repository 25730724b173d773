import { type FilterQuery, raw } from '@mikro-orm/core';
import type { z } from 'zod';
import { orderWorkflowId } from '../../../../workflows/messages.ts';
import { Order } from '../../../db/entities/order.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { isOfRevokedAgent } from '../../../db/revoked-agent.ts';
import { waitsForAdmin } from '../../../db/waits-for-admin.ts';
import { DomainError, invalidField } from '../../../domain/errors.ts';
import type { AdminActor } from '../../../domain/order-commands.ts';
import { noteOf } from '../../../domain/status-reasons.ts';
import { adminActor } from '../../../http/access/find-admin.ts';
import type { ErrorCode } from '../../../http/errors.ts';
import { contestingLps, formerReceipts, wasEvidenceFalse } from '../../../market/lps/lost-order.ts';
import { requireTxHash } from '../../../market/pricing/accepted-tokens.ts';
import type { Resolution } from '../../../orders/commands.ts';
import { findOrder } from '../../../orders/find-order.ts';
import { type ChainFinding, lookUpNamed } from '../../../orders/look-up-named.ts';
import { dryRunResolution } from '../../../orders/resolution-dry-run.ts';
import { resultOf } from '../../../orders/resolution-postings.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { reasonRequest } from '../../schemas/order-commands.ts';
import { pageOf } from '../../schemas/pages.ts';
import { timelineResponse } from '../agent-orders/schemas.ts';
import { timelineOf } from '../agent-orders/timeline.ts';
import {
  type AdminOrder,
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
  unfreezeRequest,
} from './schemas.ts';
import { adminOrderViews, deliveryIn, evidenceIn, namesIn, postingView } from './view.ts';

/** Admins read the orders of all agents, and move an order that waits too long for a party or a chain. */
export function adminOrderRoutes({ db, commands, chains, log, settings, workflowsUrl }: ApiDeps): Route[] {
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
        return { status: 200, body: { orders: await adminOrderViews(db, page), next_cursor } };
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
        const names = await namesIn(db, order);
        const evidence = evidenceIn(await formerReceipts(db, order.id), settings.publicUrl);
        return {
          status: 200,
          body: { ...(await viewOf(order)), ...deliveryIn(order), ...names, evidence, workflow_url },
        };
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
      handle: async ({ order }) => ({ status: 200, body: await timelineOf(db, order, 'admin') }),
    }),
    route({
      method: 'post',
      path: '/api/admin/orders/:id/resolve',
      auth: 'admin',
      permission: 'orders:resolve',
      loads: 'order',
      summary: 'Resolve a dispute',
      description:
        'The transaction in `tx_hash` counts as the order’s payment. A dry run shows what the chain says about it.',
      query: resolveQuery,
      answers: { 200: resolveResponse },
      refuses: ['not_found', 'wrong_state', 'slash_too_high', 'transaction_used'],
      body: resolveRequest,
      approval: {
        needed: ({ body, query }) => !query.dry_run && Number(body.slash_usd) > 0,
        preview: async ({ order, body }) => {
          const resolution = resolutionOf(order, body);
          const [{ postings }, chain_finding] = await Promise.all([
            dryRunResolution(db, order, resolution),
            findingOn(order, resolution),
          ]);
          return { postings: postings.map(postingView), chain_finding };
        },
      },
      handle: async ({ order, principal, query: { dry_run }, body }) => {
        const resolution = resolutionOf(order, body);
        const resolve = async () => {
          await commands.resolve(order, resolution, adminActor(principal), noteOf(body.reason));
          const { version } = await reread(order);
          return resultOf(db, order.id, version);
        };
        const [{ postings, txHash: tx_hash }, chain_finding] = await Promise.all([
          dry_run ? dryRunResolution(db, order, resolution) : resolve(),
          findingOn(order, resolution),
        ]);
        return {
          status: 200,
          body: {
            ...{ order_id: order.id, status: body.outcome, dry_run, tx_hash, chain_finding },
            postings: postings.map(postingView),
          },
        };
      },
    }),
    commandRoute(
      'cancel',
      'Cancel an order that no LP has claimed yet',
      reasonRequest,
      ['wrong_state'],
      (order, { reason }, admin) => commands.cancel(order, admin, noteOf(reason)),
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
      (order, { reason }, admin) => commands.freeze(order, admin, noteOf(reason)),
    ),
    commandRoute(
      'unfreeze',
      'Unfreeze an order and restart its deadline timer',
      unfreezeRequest,
      ['wrong_state', 'not_contested'],
      unfreeze,
    ),
    commandRoute(
      'retry-verification',
      'Verify an order’s transaction again, immediately',
      retryRequest,
      ['wrong_state', 'nothing_to_verify'],
      (order, { tx_hash, reason }, admin) => {
        requireHash(order, tx_hash);
        return commands.retryVerification(order, tx_hash, admin, noteOf(reason));
      },
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
        return { status: 200, body: await viewOf(await reread(order)) };
      },
    });
  }

  /** Refuses a malformed hash. */
  function requireHash({ crypto_chain: chain }: Order, txHash: string | undefined): void {
    // The chain may have been removed from the settings.
    const verifier = chains.get(chain);
    if (verifier && txHash !== undefined) requireTxHash(verifier, chain, txHash);
  }

  function resolutionOf(
    order: Order,
    { outcome, slash_usd: slashUsd, tx_hash }: z.output<typeof resolveRequest>,
  ): Resolution {
    requireHash(order, tx_hash);
    return { outcome, slashUsd, txHash: tx_hash ?? null };
  }

  async function findingOn({ id }: Order, { txHash }: Resolution): Promise<ChainFinding | null> {
    const { chainClockSkew } = settings;
    return txHash === null ? null : lookUpNamed({ db, chains, log, chainClockSkew }, id, txHash);
  }

  async function unfreeze(
    order: Order,
    { reason, false_evidence }: z.output<typeof unfreezeRequest>,
    admin: AdminActor,
  ) {
    const isContested = !false_evidence || (await contestingLps(db, [order.id])).has(order.id);
    // A repeated call finds the order unfrozen, and the strike.
    if (!isContested && !(await wasEvidenceFalse(db, order.id))) throw new DomainError('not_contested');
    const status = await commands.unfreeze(order, admin, noteOf(reason), false_evidence);
    // Another admin may have been faster, and have unfrozen it without a strike.
    if (false_evidence && !(await wasEvidenceFalse(db, order.id))) throw new DomainError('not_contested');
    return status;
  }

  async function viewOf(order: Order): Promise<AdminOrder> {
    const [view] = await adminOrderViews(db, [order]);
    if (!view) throw new Error('One order has one view');
    return view;
  }

  async function reread({ id }: Order): Promise<Order> {
    const order = await findOrder(db, id);
    if (!order) throw new Error(`Order ${id} is no longer in the database`);
    return order;
  }

  function extend(order: Order, until: Date, admin: AdminActor, reason: string) {
    if (until <= new Date()) throw invalidField('until', 'must be in the future');
    return commands.extend(order, until, admin, noteOf(reason));
  }
}

function filters(query: OrderQuery): FilterQuery<Order>[] {
  const { status, currency, agent_key_id, lp_id, created_from, created_to } = query;
  const { revoked_agent, waits_for_admin } = query;
  const all: FilterQuery<Order>[] = [afterCursor(query)];
  if (status) all.push({ status });
  if (currency) all.push({ currency });
  if (agent_key_id) all.push({ agent_key_id });
  if (lp_id) all.push({ lp_id });
  if (waits_for_admin) all.push({ [raw(waitsForAdmin)]: true });
  if (revoked_agent) all.push({ [raw(isOfRevokedAgent)]: true });
  if (created_from) all.push({ created_at: { $gte: created_from } });
  if (created_to) all.push({ created_at: { $lt: created_to } });
  return all;
}

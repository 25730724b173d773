import type { z } from 'zod';
import { adminOrder } from '../contract/admin-orders.ts';
import {
  extendRequest,
  reasonRequest,
  resolveQuery,
  resolveRequest,
  resolveResponse,
  retryRequest,
} from '../contract/order-verbs.ts';
import type { Order } from '../db/entities/order.ts';
import { type Posting, postingsOf } from '../db/queries/resolution.ts';
import { type ErrorCode, invalidField } from '../domain/errors.ts';
import { rehearseResolution } from '../orders/rehearse-resolution.ts';
import { adminOrderView } from './admin-orders.ts';
import { anyOrder } from './any-order.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

/** How admins and operators move an order that people or chains have left standing. Each needs a reason. */
export function adminOrderVerbRoutes({ db, commands }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/admin/orders/:id/resolve',
      auth: 'admin',
      summary: 'End a dispute',
      query: resolveQuery,
      answers: { 200: resolveResponse },
      refuses: ['not_found', 'wrong_state', 'slash_too_high', 'transaction_used'],
      body: resolveRequest,
      handle: async ({ params, query: { dry_run }, body: { outcome, slash_usd: slashUsd, reason } }) => {
        const order = await anyOrder(db, params.id);
        const resolution = { outcome, slashUsd };
        const answer = (postings: Posting[]) => ({
          status: 200 as const,
          body: { order_id: order.id, status: outcome, dry_run, postings: postings.map(postingView) },
        });
        if (dry_run) return answer(await rehearseResolution(db, order, resolution));
        await commands.resolve(order, resolution, reason);
        const { version } = await anyOrder(db, params.id);
        return answer(await postingsOf(db, order.id, version));
      },
    }),
    verb(
      'cancel',
      'Cancel an order that no LP has claimed yet',
      reasonRequest,
      ['wrong_state'],
      (order, { reason }) => commands.cancel(order, 'admin', reason),
    ),
    verb(
      'extend',
      'Move an order’s deadline to a later time',
      extendRequest,
      ['wrong_state', 'not_an_extension'],
      (order, { until, reason }) => extend(order, until, reason),
    ),
    verb('freeze', 'Stop an order and its clock', reasonRequest, ['wrong_state'], (order, { reason }) =>
      commands.freeze(order, reason),
    ),
    verb(
      'unfreeze',
      'Let a frozen order and its clock go on',
      reasonRequest,
      ['wrong_state'],
      (order, { reason }) => commands.unfreeze(order, reason),
    ),
    verb(
      'retry-verification',
      'Look for an order’s transaction again, at once',
      retryRequest,
      ['wrong_state', 'nothing_to_verify', 'transaction_used'],
      (order, { tx_hash, reason }) => commands.retryVerification(order, tx_hash, reason),
    ),
  ];

  /** A route that moves an order and answers with it as it then is. */
  function verb<Body>(
    name: string,
    summary: string,
    body: z.ZodType<Body>,
    refuses: ErrorCode[],
    move: (order: Order, body: Body) => Promise<unknown>,
  ): Route {
    return route({
      method: 'post',
      path: `/api/admin/orders/:id/${name}`,
      auth: 'admin',
      summary,
      answers: { 200: adminOrder },
      refuses: ['not_found', 'order_frozen', ...refuses],
      body,
      handle: async ({ params, body: given }) => {
        await move(await anyOrder(db, params.id), given);
        return { status: 200, body: adminOrderView(await anyOrder(db, params.id)) };
      },
    });
  }

  function extend(order: Order, until: Date, reason: string) {
    if (until <= new Date()) throw invalidField('until', 'must be in the future');
    return commands.extend(order, until, reason);
  }
}

const postingView = ({ purpose, debit, credit, amount }: Posting) => ({
  purpose,
  debit,
  credit,
  amount_usd: Number(amount),
});

import { z } from 'zod';
import { AgentKey } from '../db/entities/agent-key.ts';
import { Lp } from '../db/entities/lp.ts';
import type { Order } from '../db/entities/order.ts';
import { claimMeans, findOrder } from '../db/queries/orders.ts';
import { collateralSlice } from '../domain/collateral.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { orderView } from '../domain/order-view.ts';
import { hashKey, sameSecret } from '../keys.ts';
import type { ApiDeps } from './deps.ts';
import { bearer } from './middleware/authenticate.ts';
import { type Route, route } from './route.ts';
import { idFrom } from './validate.ts';

/** Contract: claim, fiat-sent and the public order view. */
export function orderRoutes({ db, commands, settings }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/orders/:order_id/claim',
      auth: 'lp',
      body: z.object({}),
      handle: async ({ principal: lp, params }) => {
        const order = await existing(params.order_id);
        if (lp.status !== 'approved') throw new DomainError('lp_not_approved');
        // A lost race is told at once; who holds the order already is answered as before.
        if (order.status !== 'matched' && order.lp_id !== lp.id) throw new DomainError('order_not_claimable');
        const means = await claimMeans(db, lp.id, order);
        const collateral_locked = order.collateral_locked ?? collateralSlice(order.amount_usd, lp.tier);
        if (order.status === 'matched') requireMeans(order, means, collateral_locked);
        await commands.claim(order, lp);
        const lp_receive_address = order.lp_receive_address ?? means.address;
        return {
          status: 200,
          body: { status: 'claimed', lp_receive_address, collateral_locked: Number(collateral_locked) },
        };
      },
    }),
    route({
      method: 'post',
      path: '/api/orders/:order_id/fiat-sent',
      auth: 'lp',
      body: z.object({}),
      handle: async ({ principal: lp, params }) => {
        const order = await existing(params.order_id);
        const status = await commands.fiatSent(order, lp.id);
        return { status: 200, body: { status } };
      },
    }),
    route({
      method: 'get',
      path: '/api/orders/:order_id',
      auth: 'none',
      handle: async ({ params, headers }) => {
        const order = await existing(params.order_id);
        const token = bearer(headers.authorization);
        const isParty = token !== undefined && (await isPartyOf(order, token));
        return { status: 200, body: orderView(order, isParty ? 'party' : 'public') };
      },
    }),
  ];

  async function existing(id: string | undefined): Promise<Order> {
    const order = await findOrder(db, idFrom(id));
    if (!order) throw new DomainError('not_found');
    return order;
  }

  /** Whether a bearer belongs to the order's agent, its LP or an admin. */
  async function isPartyOf(order: Order, token: string): Promise<boolean> {
    if (sameSecret(token, settings.adminApiKey)) return true;
    const key_hash = hashKey(token);
    const agent = await db.em().findOne(AgentKey, { id: order.agent_key_id, key_hash, is_active: true });
    if (agent) return true;
    const isOwner = order.status !== 'matched' && order.lp_id !== null && order.lp_id !== undefined;
    return isOwner && (await db.em().count(Lp, { id: order.lp_id as number, key_hash })) > 0;
  }
}

/** What the claim would be refused for anyway, told without a round through the workflow. */
function requireMeans(
  order: Order,
  means: { available: string; address: string | null },
  slice: string,
): void {
  if (means.address === null) {
    throw new DomainError(
      'no_receive_address',
      `No receive address for ${order.crypto_symbol} on ${order.crypto_chain}: register one first`,
    );
  }
  if (decimal(means.available).lt(slice)) {
    throw new DomainError(
      'insufficient_collateral',
      `Insufficient collateral: the order locks ${slice} USD, ${decimal(means.available).toFixed(2)} are free`,
    );
  }
}

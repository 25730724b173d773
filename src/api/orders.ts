import { z } from 'zod';
import {
  disputeResponse,
  optionalReasonRequest,
  reasonRequest,
  releaseResponse,
} from '../contract/order-verbs.ts';
import {
  type ClaimResponse,
  claimResponse,
  fiatSentResponse,
  type OrderResponse,
  orderResponse,
} from '../contract/orders.ts';
import type { Order } from '../db/entities/order.ts';
import type { KnownLp } from '../db/queries/callers.ts';
import { claimMeans } from '../db/queries/orders.ts';
import { collateralSlice } from '../domain/collateral.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { orderView } from '../domain/order-view.ts';
import { countingClaim } from './claim-outcomes.ts';
import type { ApiDeps } from './deps.ts';
import { isPartyOf } from './order-party.ts';
import { type Route, route } from './route.ts';

/** Contract: claim, fiat-sent and the public order view. */
export function orderRoutes(deps: ApiDeps): Route[] {
  const { db, commands, settings, metrics } = deps;
  return [
    route({
      method: 'post',
      path: '/api/orders/:order_id/claim',
      auth: 'lp',
      summary: 'Claim an open order',
      answers: { 200: claimResponse },
      refuses: [
        'not_found',
        'lp_not_approved',
        'lp_cooling_down',
        'no_receive_address',
        'insufficient_collateral',
        'order_not_claimable',
      ],
      body: z.object({}),
      handle: ({ principal: lp, order }) =>
        countingClaim(metrics.orders, async () => {
          // Approval is for new claims: who holds the order may ask again for what it was told.
          const isHeld = order.status !== 'matched' && order.lp_id === lp.id;
          if (lp.status !== 'approved' && !isHeld) throw new DomainError('lp_not_approved');
          // A lost race is told at once.
          if (order.status !== 'matched' && !isHeld) throw new DomainError('order_not_claimable');
          // Who holds the order already is told again what it was told; nothing is left to be met.
          const terms = order.status === 'matched' ? await claimTerms(order, lp) : heldTerms(order);
          await commands.claim(order, lp);
          return { status: 200, body: { status: 'claimed', ...terms } } as const;
        }),
    }),
    route({
      method: 'post',
      path: '/api/orders/:order_id/fiat-sent',
      auth: 'lp',
      summary: 'Say that the fiat has been sent',
      answers: { 200: fiatSentResponse },
      refuses: ['not_found', 'not_order_owner', 'wrong_state', 'order_frozen'],
      body: z.object({}),
      handle: async ({ principal: lp, order }) => {
        const status = await commands.fiatSent(order, lp.id);
        return { status: 200, body: { status } };
      },
    }),
    route({
      method: 'post',
      path: '/api/orders/:order_id/release',
      auth: 'lp',
      summary: 'Give a claimed order back',
      description:
        'The slice is free again and others are offered the order. Soon after the claim it costs nothing; later it is a strike.',
      answers: { 200: releaseResponse },
      refuses: ['not_found', 'not_order_owner', 'wrong_state', 'order_frozen'],
      body: optionalReasonRequest,
      handle: async ({ principal: lp, order, body: { reason = 'The LP gave the order back' } }) => {
        const status = await commands.release(order, lp.id, reason);
        return { status: 200, body: { status } };
      },
    }),
    route({
      method: 'post',
      path: '/api/orders/:order_id/dispute',
      auth: 'lp',
      summary: 'Dispute an order whose fiat has been sent and is not confirmed',
      answers: { 200: disputeResponse },
      refuses: ['not_found', 'not_order_owner', 'wrong_state', 'order_frozen'],
      body: reasonRequest,
      handle: async ({ principal: lp, order, body }) => {
        await commands.dispute(order, { by: 'lp', lpId: lp.id }, body.reason);
        return { status: 200, body: { status: 'disputed' } };
      },
    }),
    route({
      method: 'get',
      path: '/api/orders/:order_id',
      auth: 'any',
      summary: 'Read an order',
      description:
        'Public. With the bearer of the order’s agent, its LP or an admin it has `user_id`, `callback_url` and `receipt_url` as well.',
      answers: { 200: orderResponse },
      refuses: ['not_found'],
      handle: async ({ order, principal }) => {
        const audience = isPartyOf(order, principal) ? 'party' : 'public';
        return { status: 200, body: orderView(order, audience) as OrderResponse };
      },
    }),
  ];

  /** What a claim would lock, and where the crypto would go. What it lacks is told without a round through the workflow. */
  async function claimTerms(order: Order, lp: KnownLp): Promise<ClaimTerms> {
    const { crypto_symbol, crypto_chain } = order;
    const { available, address, cooling_until } = await claimMeans(db, lp.id, order, settings.strikeCoolDown);
    if (cooling_until !== null) throw coolingDown(new Date(cooling_until));
    const slice = collateralSlice(order.amount_usd, lp.tier);
    if (address === null) {
      const missing = `No receive address for ${crypto_symbol} on ${crypto_chain}: register one first`;
      throw new DomainError('no_receive_address', missing);
    }
    if (decimal(available).lt(slice)) {
      const free = decimal(available).toFixed(2);
      const lacking = `Insufficient collateral: the order locks ${slice} USD, ${free} are free`;
      throw new DomainError('insufficient_collateral', lacking);
    }
    return { lp_receive_address: address, collateral_locked: Number(slice) };
  }
}

function coolingDown(until: Date): DomainError {
  const retryAfter = Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1_000));
  const text = `This LP is cooling down after a strike: it may claim again from ${until.toISOString()} on`;
  return new DomainError('lp_cooling_down', text, { retryAfter });
}

type ClaimTerms = Pick<ClaimResponse, 'lp_receive_address' | 'collateral_locked'>;

function heldTerms({ lp_receive_address, collateral_locked }: Order): ClaimTerms {
  if (!lp_receive_address || !collateral_locked) throw new DomainError('order_not_claimable');
  return { lp_receive_address, collateral_locked: Number(collateral_locked) };
}

import { z } from 'zod';
import type { Order } from '../../../db/entities/order.ts';
import { DomainError } from '../../../domain/errors.ts';
import { CONTESTABLE } from '../../../domain/order-state.ts';
import { orderView } from '../../../domain/order-view.ts';
import { noteOf, reasonOf } from '../../../domain/status-reasons.ts';
import { contestableBy, contestingLps, mayProvePayment } from '../../../market/lps/lost-order.ts';
import { type ClaimTerms, claimTerms, notApproved } from '../../../orders/claim-terms.ts';
import { isPartyOf } from '../../../orders/order-party.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { lpDisputeResponse, optionalReasonRequest, reasonRequest } from '../../schemas/order-commands.ts';
import { countClaimOutcome } from './claim-outcomes.ts';
import {
  type ClaimResponse,
  claimResponse,
  fiatSentResponse,
  type OrderResponse,
  orderResponse,
  releaseResponse,
} from './schemas.ts';

const FROZEN_BEFORE =
  'This order is frozen already. Admins see your evidence. When the order continues, you have an hour to dispute it';

/** LPs claim and fulfil orders; any caller can read the public view of one. Contract: claim, fiat-sent, order view. */
export function orderRoutes(deps: ApiDeps): Route[] {
  const { db, commands, settings, metrics } = deps;
  return [
    route({
      method: 'post',
      path: '/api/orders/:order_id/claim',
      auth: 'lp',
      inTurn: true,
      loads: 'order',
      summary: 'Claim an open order',
      answers: { 200: claimResponse },
      refuses: [
        'not_found',
        'lp_not_approved',
        'lp_cooling_down',
        'no_receive_address',
        'corridor_not_served',
        'outside_terms',
        'insufficient_collateral',
        'agent_exposure_exceeded',
        'order_not_claimable',
        'paused',
      ],
      body: z.object({}),
      handle: ({ principal: lp, order }) =>
        countClaimOutcome(metrics.orders, async () => {
          // The LP that owns the order may repeat its claim, and gets the same response. Only new claims need approval.
          const ownsOrder = order.status !== 'matched' && order.lp_id === lp.id;
          if (lp.status !== 'approved' && !ownsOrder) throw notApproved(lp);
          if (order.status !== 'matched' && !ownsOrder) throw new DomainError('order_not_claimable');
          const terms =
            order.status === 'matched'
              ? await claimTerms(db, order, lp, settings.strikeCoolDown)
              : heldTerms(order);
          await commands.claim(order, lp.id);
          return { status: 200, body: claimView(terms) } as const;
        }),
    }),
    route({
      method: 'post',
      path: '/api/orders/:order_id/fiat-sent',
      auth: 'lp',
      inTurn: true,
      loads: 'order',
      summary: 'Report that the fiat has been sent',
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
      inTurn: true,
      loads: 'order',
      summary: 'Release a claimed order',
      description:
        'Offers the order to other LPs. Costs a strike, unless it is one of the LP’s free releases.',
      answers: { 200: releaseResponse },
      refuses: ['not_found', 'not_order_owner', 'wrong_state', 'order_frozen', 'receipt_uploaded'],
      body: optionalReasonRequest,
      handle: async ({ principal: lp, order, body: { reason } }) => {
        const status = await commands.release(
          order,
          lp.id,
          reason ? noteOf(reason) : reasonOf('lp_released'),
        );
        return { status: 200, body: { status } };
      },
    }),
    route({
      method: 'post',
      path: '/api/orders/:order_id/dispute',
      auth: 'lp',
      inTurn: true,
      loads: 'order',
      summary: 'Dispute an order whose agent does not confirm the fiat',
      description:
        'An LP that lost the order, although it had paid, can dispute that once, within an hour, with uploaded evidence.',
      answers: { 200: lpDisputeResponse },
      refuses: ['not_found', 'not_order_owner', 'wrong_state', 'order_frozen'],
      body: reasonRequest,
      handle: async ({ principal: lp, order, body }) => {
        const evidence = await contestableBy(db, order.id, lp.id);
        if (evidence && !CONTESTABLE.includes(order.status))
          throw new DomainError(
            'wrong_state',
            `You have lost this order, and it is ${order.status}, so no dispute can change it. Send the operator the order’s id and your evidence`,
          );
        if (!evidence && (await mayProvePayment(db, order.id, lp.id)))
          throw new DomainError(
            'not_order_owner',
            'You have lost this order at its deadline. If you had paid, upload the receipt first',
          );
        if (evidence) {
          // The order shows only the receipt of its present LP, so the admin finds this one here.
          const reason = reasonOf('evidence_note', { text: body.reason, receipt: evidence });
          await commands.contest(order, lp.id, reason);
          // A second freeze is not recorded, so no admin would learn of this dispute.
          if ((await contestingLps(db, [order.id])).get(order.id) !== lp.id)
            throw new DomainError('order_frozen', FROZEN_BEFORE);
          return { status: 200, body: { status: 'frozen' } };
        }
        await commands.dispute(order, { by: 'lp', lpId: lp.id }, noteOf(body.reason));
        return { status: 200, body: { status: 'disputed' } };
      },
    }),
    route({
      method: 'get',
      path: '/api/orders/:order_id',
      auth: 'any',
      loads: 'order',
      summary: 'Read an order',
      description:
        'Public. The keys of the order’s agent, its LP and admins show more: `user_id`, `callback_url`, `callback_host`, `receipt_url`.',
      answers: { 200: orderResponse },
      refuses: ['not_found'],
      handle: async ({ order, principal }) => {
        const isParty = isPartyOf(order, principal);
        const audience = isParty ? (principal?.kind === 'lp' ? 'lp' : 'party') : 'public';
        return { status: 200, body: orderView(order, audience) as OrderResponse };
      },
    }),
  ];
}

/** The terms under which the LP has claimed the order. */
function heldTerms({ lp_receive_address, destination_tag, collateral_locked }: Order): ClaimTerms {
  if (!lp_receive_address || !collateral_locked) throw new DomainError('order_not_claimable');
  return { address: lp_receive_address, destinationTag: destination_tag ?? null, locks: collateral_locked };
}

/** The contract does not name the destination tag, so only an address that has one shows it. */
const claimView = ({ address, destinationTag, locks }: ClaimTerms): ClaimResponse => ({
  status: 'claimed',
  lp_receive_address: address,
  ...(destinationTag !== null && { destination_tag: destinationTag }),
  collateral_locked: Number(locks),
});

import { z } from 'zod';
import { statusView } from '../../../domain/order-view.ts';
import { noteOf, reasonOf } from '../../../domain/status-reasons.ts';
import { namingMeant } from '../../../market/corridors/meant-currency.ts';
import { resolveMethod } from '../../../market/corridors/resolve-delivery.ts';
import { requireTxHash } from '../../../market/pricing/accepted-tokens.ts';
import type { ApiDeps } from '../../deps.ts';
import { idempotencyKey, idempotencyKeyOf } from '../../pipeline/idempotency-key.ts';
import { type Route, route } from '../../route.ts';
import { disputeResponse, optionalReasonRequest, reasonRequest } from '../../schemas/order-commands.ts';
import {
  cancelResponse,
  confirmResponse,
  paymentResponse,
  payRequest,
  rateLockResponse,
  ratesRequest,
  replayedPaymentResponse,
  settleRequest,
  settleResponse,
  statusResponse,
} from './schemas.ts';

/** Contract: "Agent API". For an agent, other agents' orders do not exist. */
export function paymentRoutes({ pay, rateLocks, delivery, commands, chains, settings }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/rates',
      auth: 'agent',
      inTurn: true,
      scope: 'pay',
      summary: 'Quote a payout and lock the quote for a limited time',
      answers: { 201: rateLockResponse },
      refuses: ['asset_not_accepted', 'pricing_unavailable', 'no_lp_available', 'amounts_exhausted'],
      keyLimit: { name: 'rates', max: settings.limits.rates },
      body: ratesRequest,
      handle: async ({ principal, body }) => ({
        status: 201,
        body: await rateLocks
          .lock(principal.id, { ...body, ...resolveMethod(delivery, body) })
          .catch(namingMeant(delivery.corridors, body.currency)),
      }),
    }),
    route({
      method: 'post',
      path: '/api/v1/pay',
      auth: 'agent',
      inTurn: true,
      scope: 'pay',
      summary: 'Create a payment',
      description:
        'Quotes the payout and offers the order to LPs. A repeated request returns the first response.',
      headers: z.object({ 'Idempotency-Key': idempotencyKey.optional() }),
      answers: { 201: paymentResponse, 200: replayedPaymentResponse },
      replays: 200,
      refuses: [
        'asset_not_accepted',
        'pricing_unavailable',
        'unknown_user',
        'bad_rate_lock',
        'bad_recipient_check',
        'exposure_exceeded',
        'no_lp_available',
        'amounts_exhausted',
        'idempotency_conflict',
        'paused',
      ],
      keyLimit: { name: 'pay', max: settings.limits.pay, perAddress: true },
      body: payRequest({ allowHttp: settings.webhookAllowPrivate }),
      handle: async ({ principal, body, headers }) => {
        const { response, replayed } = await pay(principal, body, idempotencyKeyOf(headers)).catch(
          namingMeant(delivery.corridors, body.currency),
        );
        return replayed
          ? { status: 200, body: { ...response, idempotent_replay: true } }
          : { status: 201, body: response };
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/status/:orderId',
      auth: 'agent',
      loads: 'order',
      summary: 'Read the status of an order',
      answers: { 200: statusResponse },
      refuses: ['not_found'],
      handle: async ({ order }) => ({ status: 200, body: statusView(order) }),
    }),
    route({
      method: 'post',
      path: '/api/v1/confirm/:orderId',
      auth: 'agent',
      inTurn: true,
      scope: 'confirm',
      loads: 'order',
      summary: 'Confirm that the recipient has received the fiat',
      answers: { 200: confirmResponse },
      refuses: ['not_found', 'wrong_state', 'order_frozen'],
      body: z.object({}),
      handle: async ({ order }) => {
        await commands.confirm(order);
        return { status: 200, body: { status: 'confirmed' } };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/settle/:orderId',
      auth: 'agent',
      inTurn: true,
      scope: 'settle',
      loads: 'order',
      summary: 'Settle an order with the hash of the crypto transaction',
      description:
        'One transaction, of exactly the order’s amount, pays one order. A repeated call returns the same response.',
      answers: { 200: settleResponse },
      refuses: [
        'not_found',
        'order_not_confirmed',
        'order_frozen',
        'transaction_rejected',
        'not_replaceable',
        'too_many_replacements',
      ],
      body: settleRequest,
      handle: async ({ order, body: { tx_hash } }) => {
        const verifier = chains.get(order.crypto_chain);
        if (verifier) requireTxHash(verifier, order.crypto_chain, tx_hash);
        await commands.settle(order, tx_hash);
        const message = 'The transaction is being verified; the result comes by webhook and in the status';
        return { status: 200, body: { status: 'crypto_verify_pending', message, order_id: order.id } };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/cancel/:orderId',
      auth: 'agent',
      inTurn: true,
      scope: 'cancel',
      loads: 'order',
      summary: 'Cancel an order that no LP has claimed yet',
      answers: { 200: cancelResponse },
      refuses: ['not_found', 'wrong_state', 'order_frozen'],
      body: optionalReasonRequest,
      handle: async ({ order, body: { reason } }) => {
        await commands.cancel(order, 'agent', reason ? noteOf(reason) : reasonOf('agent_cancelled'));
        return { status: 200, body: { status: 'cancelled' } };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/dispute/:orderId',
      auth: 'agent',
      inTurn: true,
      scope: 'dispute',
      loads: 'order',
      summary: 'Dispute an order whose LP has not sent the fiat',
      description:
        'An admin decides. Until then the LP’s collateral stays locked, and the order counts towards your exposure.',
      answers: { 200: disputeResponse },
      refuses: ['not_found', 'wrong_state', 'order_frozen', 'dispute_too_early'],
      body: reasonRequest,
      handle: async ({ order, body }) => {
        await commands.dispute(order, { by: 'agent' }, noteOf(body.reason));
        return { status: 200, body: { status: 'disputed' } };
      },
    }),
  ];
}

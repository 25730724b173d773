import { randomBytes } from 'node:crypto';
import {
  advanceRequest,
  advanceResponse,
  sandboxTransactionRequest,
  sandboxTransactionResponse,
  testOrdersResponse,
} from '../contract/sandbox.ts';
import { SandboxTransaction } from '../db/entities/infrastructure.ts';
import { openTestOrders } from '../db/queries/open-test-orders.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import type { Advancer } from '../orders/commands.ts';
import { fireDeadline } from '../orders/fire-deadline.ts';
import type { ApiDeps } from './deps.ts';
import { isPartyOf } from './order-party.ts';
import { type Party, type Route, route } from './route.ts';

/** What is there in a sandbox alone: its simulated chains, where anybody may send a transaction, and its clock. */
export const sandboxRoutes = ({ db, chains, commands }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/sandbox/transactions',
    auth: 'none',
    summary: 'Put a transaction on a simulated chain',
    answers: { 201: sandboxTransactionResponse },
    refuses: [],
    body: sandboxTransactionRequest,
    handle: async ({ body }) => {
      if (!chains.get(body.chain)?.simulated)
        throw invalidField('chain', 'must be a chain that is simulated here');
      const tx_hash = randomBytes(32).toString('hex');
      const { chain, symbol, to, amount, final_after_ms } = body;
      const final_at = new Date(Date.now() + final_after_ms);
      await db.em().insert(SandboxTransaction, { chain, tx_hash, symbol, to, amount, final_at });
      return { status: 201, body: { tx_hash } };
    },
  }),
  route({
    method: 'get',
    path: '/sandbox/orders',
    auth: 'admin',
    summary: 'List the open orders for test recipients, oldest first',
    description: 'For simulated LPs, which have to know before they claim what they are to do.',
    answers: { 200: testOrdersResponse },
    refuses: [],
    handle: async () => ({ status: 200, body: { orders: await openTestOrders(db) } }),
  }),
  route({
    method: 'post',
    path: '/sandbox/orders/:orderId/advance',
    auth: 'any',
    summary: 'Have an order’s next deadline pass now',
    description:
      'With the bearer of the order’s agent, its LP or an admin, since others pay for a missed deadline; for all others it is not there. The order does what it does when its deadline passes by itself: an LP that had it gets a strike.',
    answers: { 200: advanceResponse },
    refuses: ['not_found', 'wrong_state', 'order_frozen'],
    body: advanceRequest,
    handle: async ({ order, principal, body }) => {
      if (!principal || !isPartyOf(order, principal)) throw new DomainError('not_found');
      const { status: before, timeout_at } = order;
      if (body.status && body.status !== before)
        throw new DomainError('wrong_state', `The order is ${before}, and not ${body.status}`);
      const fired = await fireDeadline({ db, commands }, order, advancer(principal));
      return {
        status: 200,
        body: {
          order_id: order.id,
          deadline: fired.stage,
          was_due_at: (timeout_at ?? fired.fired_at).toISOString(),
          fired_at: fired.fired_at.toISOString(),
          status: fired.status,
          reason: fired.reason,
        },
      };
    },
  }),
];

const advancer = (party: Party): Advancer =>
  party.kind === 'lp' ? { by: 'lp', lpId: party.lp.id } : { by: party.kind };

import { randomBytes } from 'node:crypto';
import { SandboxTransaction } from '../../../db/entities/infrastructure.ts';
import { DomainError, invalidField } from '../../../domain/errors.ts';
import { adminActor } from '../../../http/access/find-admin.ts';
import type { DeadlineExpirer } from '../../../orders/commands.ts';
import { expireNow } from '../../../orders/expire-now.ts';
import { isPartyOf } from '../../../orders/order-party.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Party, type Route, route } from '../../route.ts';
import { openTestOrders } from './open-test-orders.ts';
import {
  expireNowRequest,
  expireNowResponse,
  sandboxTransactionRequest,
  sandboxTransactionResponse,
  testOrdersResponse,
} from './schemas.ts';

/** Routes of a sandbox only: any caller may send a transaction on a simulated chain, and a party may expire a deadline. */
export const sandboxRoutes = ({ db, chains, commands, settings }: ApiDeps): Route[] => {
  if (!settings.sandbox) return [];
  return [
    route({
      method: 'post',
      path: '/sandbox/transactions',
      auth: 'none',
      summary: 'Put a transaction on a simulated chain',
      answers: { 201: sandboxTransactionResponse },
      refuses: [],
      strangersCreate: true,
      body: sandboxTransactionRequest,
      handle: async ({ body }) => {
        const verifier = chains.get(body.chain);
        if (!verifier?.simulated) throw invalidField('chain', 'must be a chain that is simulated here');
        if (!verifier.tags && body.destination_tag !== undefined)
          throw invalidField('destination_tag', `must be left out: ${body.chain} has no destination tags`);
        const tx_hash = randomBytes(32).toString('hex');
        const { chain, symbol, to, destination_tag, amount, final_after_ms } = body;
        const final_at = new Date(Date.now() + final_after_ms);
        await db
          .em()
          .insert(SandboxTransaction, { chain, tx_hash, symbol, to, destination_tag, amount, final_at });
        return { status: 201, body: { tx_hash } };
      },
    }),
    route({
      method: 'get',
      path: '/sandbox/orders',
      auth: 'admin',
      summary: 'List the open orders for test recipients, oldest first',
      description: 'Simulated LPs read their behaviour from the recipient before they claim.',
      answers: { 200: testOrdersResponse },
      refuses: [],
      handle: async () => ({ status: 200, body: { orders: await openTestOrders(db) } }),
    }),
    route({
      method: 'post',
      path: '/sandbox/orders/:orderId/advance',
      auth: 'any',
      permission: 'orders:operate',
      scope: 'dispute',
      loads: 'order',
      summary: 'Expire an order’s next deadline now',
      description:
        'With the key of the order’s agent, its LP or an admin. An LP that owned the order may get a strike.',
      answers: { 200: expireNowResponse },
      refuses: ['not_found', 'wrong_state', 'order_frozen'],
      body: expireNowRequest,
      handle: async ({ order, principal, body }) => {
        if (!principal || !isPartyOf(order, principal)) throw new DomainError('not_found');
        const { status: before, timeout_at } = order;
        if (body.status && body.status !== before)
          throw new DomainError('wrong_state', `The order is ${before}, not ${body.status}`);
        const expired = await expireNow({ db, commands }, order, expirer(principal));
        return {
          status: 200,
          body: {
            order_id: order.id,
            deadline: expired.stage,
            was_due_at: (timeout_at ?? expired.expired_at).toISOString(),
            fired_at: expired.expired_at.toISOString(),
            status: expired.status,
            reason: expired.reason,
          },
        };
      },
    }),
  ];
};

function expirer(party: Party): DeadlineExpirer {
  switch (party.kind) {
    case 'admin':
      return { by: 'admin', admin: adminActor(party.admin) };
    case 'lp':
      return { by: 'lp', lpId: party.lp.id };
    case 'agent':
      return { by: 'agent' };
  }
}

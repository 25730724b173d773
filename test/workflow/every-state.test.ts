import { expect, test } from '@jest/globals';
import { type Answer, expectStatus } from '../../dev/http-client.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../src/domain/order-state.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/**
 * Sends every command over HTTP to an order in every status. The command has its effect, or is refused and changes nothing.
 * `test/unit/order-state.test.ts` tests the rules themselves, including those of deadlines and chains.
 */
const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 100_000 });

const HASH = 'ab'.repeat(32);
const admin = (verb: string, id: number, body: object = {}) => corridor.adminDoes(verb, id, body);

const SEND: Record<string, (id: number) => Promise<Answer>> = {
  claim: (id) => lp.claim(id),
  fiatSent: (id) => lp.fiatSent(id),
  confirm: (id) => agent.confirm(id),
  settle: (id) => agent.settle(id, `${HASH.slice(0, -String(id).length)}${id}`),
  cancel: (id) => agent.cancel(id),
  release: (id) => lp.release(id),
  disputeByAgent: (id) => agent.dispute(id),
  disputeByLp: (id) => lp.dispute(id),
  adminCancel: (id) => admin('cancel', id),
  resolve: (id) => admin('resolve', id, { outcome: 'cancelled' }),
  retryVerification: (id) => admin('retry-verification', id),
  extend: (id) => admin('extend', id, { until: '2036-01-01' }),
  freeze: (id) => admin('freeze', id),
  unfreeze: (id) => admin('unfreeze', id),
  expireNow: (id) => agent.expireNow(id),
};

/** Brings a new order into a status. A disputed order has its fiat sent and no transaction. */
const BRING: Record<OrderStatus, (id: number) => Promise<unknown>> = {
  matched: async () => undefined,
  claimed: (id) => expectStatus(200, lp.claim(id)),
  fiat_sent: async (id) => {
    await BRING.claimed(id);
    await expectStatus(200, lp.fiatSent(id));
  },
  confirmed: async (id) => {
    await BRING.fiat_sent(id);
    await expectStatus(200, agent.confirm(id));
  },
  crypto_verify_pending: async (id) => {
    await BRING.confirmed(id);
    await expectStatus(200, agent.settle(id, `${HASH.slice(0, -String(id).length)}${id}`));
  },
  completed: async (id) => {
    await BRING.confirmed(id);
    await expectStatus(200, agent.settle(id, await corridor.payment(agent, id)));
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
  },
  cancelled: (id) => expectStatus(200, agent.cancel(id)),
  disputed: async (id) => {
    await BRING.fiat_sent(id);
    await expectStatus(200, agent.dispute(id));
  },
};

/** The order's status after a 200, `same` for a 200 that changes nothing, or the HTTP status of a refusal. */
const EXPECTED: Record<OrderStatus, Record<string, OrderStatus | 'same' | number>> = {
  matched: {
    ...{ claim: 'claimed', fiatSent: 403, confirm: 409, settle: 409, cancel: 'cancelled', release: 403 },
    ...{ disputeByAgent: 409, disputeByLp: 403, adminCancel: 'cancelled', resolve: 409 },
    ...{ retryVerification: 409, extend: 'matched', freeze: 'matched', unfreeze: 'same' },
    expireNow: 'cancelled',
  },
  claimed: {
    ...{ claim: 'same', fiatSent: 'fiat_sent', confirm: 409, settle: 409, cancel: 409, release: 'matched' },
    ...{ disputeByAgent: 'disputed', disputeByLp: 409, adminCancel: 409, resolve: 409 },
    ...{ retryVerification: 409, extend: 'claimed', freeze: 'claimed', unfreeze: 'same' },
    expireNow: 'matched',
  },
  fiat_sent: {
    ...{ claim: 409, fiatSent: 'same', confirm: 'confirmed', settle: 409, cancel: 409, release: 409 },
    ...{ disputeByAgent: 'disputed', disputeByLp: 'disputed', adminCancel: 409, resolve: 409 },
    ...{ retryVerification: 409, extend: 'fiat_sent', freeze: 'fiat_sent', unfreeze: 'same' },
    expireNow: 'disputed',
  },
  confirmed: {
    ...{ claim: 409, fiatSent: 'same', confirm: 'same', settle: 'crypto_verify_pending', cancel: 409 },
    ...{ release: 409, disputeByAgent: 409, disputeByLp: 409, adminCancel: 409, resolve: 409 },
    ...{ retryVerification: 409, extend: 'confirmed', freeze: 'confirmed', unfreeze: 'same' },
    expireNow: 'disputed',
  },
  crypto_verify_pending: {
    ...{ claim: 409, fiatSent: 'same', confirm: 409, settle: 'same', cancel: 409, release: 409 },
    ...{ disputeByAgent: 409, disputeByLp: 409, adminCancel: 409, resolve: 409 },
    ...{ retryVerification: 'crypto_verify_pending', extend: 'crypto_verify_pending' },
    ...{ freeze: 'crypto_verify_pending', unfreeze: 'same' },
    expireNow: 'disputed',
  },
  completed: {
    ...{ claim: 409, fiatSent: 'same', confirm: 409, settle: 409, cancel: 409, release: 409 },
    ...{ disputeByAgent: 409, disputeByLp: 409, adminCancel: 409, resolve: 409 },
    ...{ retryVerification: 409, extend: 409, freeze: 409, unfreeze: 409 },
    expireNow: 409,
  },
  cancelled: {
    ...{ claim: 409, fiatSent: 403, confirm: 409, settle: 409, cancel: 'same', release: 403 },
    ...{ disputeByAgent: 409, disputeByLp: 403, adminCancel: 'same', resolve: 409 },
    ...{ retryVerification: 409, extend: 409, freeze: 409, unfreeze: 409 },
    expireNow: 409,
  },
  disputed: {
    ...{ claim: 409, fiatSent: 409, confirm: 409, settle: 409, cancel: 409, release: 409 },
    ...{ disputeByAgent: 'same', disputeByLp: 'same', adminCancel: 409, resolve: 'cancelled' },
    ...{ retryVerification: 409, extend: 409, freeze: 409, unfreeze: 409 },
    expireNow: 409,
  },
};

test.each(ORDER_STATUSES)('commands to an order that is %s', async (status) => {
  const refusedOn = await agent.newOrder();
  await BRING[status](refusedOn);
  const untouched = await corridor.rowOf(refusedOn);
  expect(untouched.status).toBe(status);
  const seen: Record<string, unknown> = {};
  for (const [name, wanted] of Object.entries(EXPECTED[status])) {
    const changes = typeof wanted === 'string' && wanted !== 'same';
    const id = changes ? await agent.newOrder() : refusedOn;
    if (changes) await BRING[status](id);
    const answer = await (SEND[name] as (typeof SEND)[string])(id);
    const row = await corridor.rowOf(id);
    if (changes) seen[name] = row.status;
    else {
      expect([name, row]).toEqual([name, untouched]);
      seen[name] = answer.status === 200 ? 'same' : answer.status;
    }
  }
  expect(seen).toEqual(EXPECTED[status]);
  expect(Object.keys(seen).sort()).toEqual(Object.keys(SEND).sort());
});

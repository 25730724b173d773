import { afterEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** A payer may pay after the end of its order. No other order takes that money. */
const corridor = await useCorridor();
const [agent, thief] = [await corridor.newAgent(), await corridor.newAgent()];
const lp = await corridor.newLp({ collateral: 10_000 });
afterEach(() => corridor.sql('delete from reserved_amount where order_id < 0'));

const owed = async (id: number): Promise<number> =>
  (await expectStatus(200, agent.call('GET', `/api/v1/status/${id}`))).crypto_amount;
/** As if other live orders held all amounts of the price but those in use. */
const holdTheRest = () =>
  corridor.sql(
    `insert into reserved_amount (chain, symbol, purpose, amount, order_id)
     select 'trx', 'usdt', 'order', 10.05 + n / 1000000.0, -1 - n from generate_series(0, 9999) n
     on conflict do nothing`,
  );
const lock = () => thief.call('POST', '/api/v1/rates', { amount: 1_295, currency: 'KES' });
const disputed = async () => {
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  await expectStatus(200, lp.fiatSent(id));
  await expectStatus(200, agent.dispute(id));
  return id;
};
const resolve = (id: number, outcome: string) => corridor.adminDoes('resolve', id, { outcome });

/** Orders whose payers know where to pay, and have not paid. */
const UNPAID: [string, () => Promise<number>][] = [
  [
    'was resolved as cancelled',
    async () => {
      const id = await disputed();
      await expectStatus(200, resolve(id, 'cancelled'));
      return id;
    },
  ],
  [
    'was resolved as completed without a transaction',
    async () => {
      const id = await disputed();
      await expectStatus(200, resolve(id, 'completed'));
      return id;
    },
  ],
  [
    'was released by its LP and then cancelled',
    async () => {
      // Another LP that the order could be offered to.
      const first = await corridor.newLp();
      const id = await agent.newOrder();
      await expectStatus(200, first.claim(id));
      await expectStatus(200, first.release(id));
      await expectStatus(200, agent.cancel(id));
      return id;
    },
  ],
  [
    'ended with its agent’s key',
    async () => {
      const payer = await corridor.newAgent();
      const id = await payer.newOrder();
      await expectStatus(200, lp.claim(id));
      await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${payer.keyId}`));
      await eventually(async () => {
        const [row] = await corridor.sql('select status from orders where id = $1', [id]);
        return row?.status === 'cancelled';
      });
      return id;
    },
  ],
];

describe.each(UNPAID)('the amount of an order that %s', (_what, ended) => {
  test('is not drawn again for 7 days', async () => {
    const id = await ended();
    const age = (by: string) =>
      corridor.sql('update reserved_amount set expires_at = expires_at - $2::interval where order_id = $1', [
        id,
        by,
      ]);
    await holdTheRest();
    expect([(await lock()).status, (await thief.pay()).status]).toEqual([503, 503]);
    await age('6 days 23 hours');
    expect([(await lock()).status, (await thief.pay()).status]).toEqual([503, 503]);
    await age('1 hour');
    const amounts = await corridor.sql('select amount_crypto from orders where id = $1', [id]);
    const taken = await expectStatus(201, thief.pay());
    expect(taken.crypto_required.amount).toBe(Number(amounts[0]?.amount_crypto));
    await expectStatus(200, thief.cancel(taken.order_id));
  });
});

test('a late payment for a cancelled order settles no order of the same LP', async () => {
  const id = await disputed();
  const amount = await owed(id);
  await expectStatus(200, resolve(id, 'cancelled'));
  // The thief would draw rate locks until it has the amount. Here it is the only one that is free.
  await holdTheRest();
  const locked = await lock();
  const hash = await corridor.transaction(lp.address, amount);
  if (locked.status === 201) {
    const stolen = await thief.confirmedOrder(lp, { rate_lock_id: locked.body.rate_lock_id });
    await expectStatus(200, thief.settle(stolen, hash));
    await eventuallyEquals(() => thief.statusOf(stolen), 'confirmed');
  }
  expect(locked.status).toBe(503);
});

describe('the amount of an order is free again at once', () => {
  test.each<[string, () => Promise<number>]>([
    ['if the order was paid', () => corridor.completedOrder(agent, lp)],
    [
      'if no LP had claimed it',
      async () => {
        const id = await agent.newOrder();
        await expectStatus(200, agent.cancel(id));
        return id;
      },
    ],
    [
      'if an admin names the transaction that paid it',
      async () => {
        const id = await disputed();
        const tx_hash = await corridor.transaction(lp.address, 9);
        await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'completed', tx_hash }));
        return id;
      },
    ],
  ])('%s', async (_what, ended) => {
    const id = await ended();
    expect(await corridor.sql('select from reserved_amount where order_id = $1', [id])).toEqual([]);
  });
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));

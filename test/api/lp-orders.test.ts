import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();

const read = (lp: TestLp, path: string) => lp.call('GET', `/api/lp/${lp.key}${path}`);

describe('the list of an LP’s orders', () => {
  const list = async (lp: TestLp, query = '') => {
    const { orders, next_cursor } = await expectStatus(200, read(lp, `/orders${query}`));
    return {
      ids: orders.map(({ id }: { id: number }) => id) as number[],
      next: next_cursor as string | null,
    };
  };
  const claimed = async (lp: TestLp) => {
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    return id;
  };

  test('has each order once over all pages, newest first, even if others are claimed in between', async () => {
    const lp = await corridor.newLp();
    const ids: number[] = [];
    for (let order = 0; order < 5; order++) ids.unshift(await claimed(lp));
    const first = await list(lp, '?limit=2');
    expect(first).toEqual({ ids: ids.slice(0, 2), next: expect.any(String) });
    await claimed(lp);
    const second = await list(lp, `?limit=2&cursor=${first.next}`);
    expect(second).toEqual({ ids: ids.slice(2, 4), next: expect.any(String) });
    expect(await list(lp, `?limit=2&cursor=${second.next}`)).toEqual({ ids: ids.slice(4), next: null });
  });

  test('can have orders of one status only, and shows them as the dashboard does', async () => {
    const lp = await corridor.newLp();
    const [paid, unpaid] = [await claimed(lp), await claimed(lp)];
    await expectStatus(200, lp.fiatSent(paid));
    expect(await list(lp, '?status=claimed')).toEqual({ ids: [unpaid], next: null });
    expect(await list(lp, '?status=fiat_sent&limit=1')).toEqual({ ids: [paid], next: null });
    expect(await list(lp, '?status=completed')).toEqual({ ids: [], next: null });
    const { my_orders } = await expectStatus(200, read(lp, '/dashboard'));
    expect((await read(lp, '/orders')).body.orders).toEqual(my_orders);
  });

  test('is longer than the dashboard’s, which also has older orders that wait for the fiat', async () => {
    const lp = await corridor.newLp({ collateral: 10_000 });
    const inOrder = async (count: number) => {
      const ids: number[] = [];
      for (let order = 0; order < count; order++) ids.unshift(await claimed(lp));
      return ids;
    };
    const unpaid = await inOrder(2);
    const paid = await inOrder(20);
    for (const id of paid.toReversed()) await expectStatus(200, lp.fiatSent(id));
    const shown = async () => {
      const { my_orders } = await expectStatus(200, read(lp, '/dashboard'));
      return my_orders.map(({ id }: { id: number }) => id);
    };
    // The newest ten, the unpaid ones, and of the others those that are due next.
    expect(await shown()).toEqual([...paid.slice(0, 10), ...paid.slice(12), ...unpaid]);
    expect((await list(lp, '?limit=100')).ids).toEqual([...paid, ...unpaid]);
    // Orders that have ended come last, however new they are.
    await Promise.all(
      paid.map(async (id) => {
        await expectStatus(200, agent.confirm(id));
        await expectStatus(200, agent.settle(id, await corridor.payment(agent, id)));
        await eventuallyEquals(() => agent.statusOf(id), 'completed');
      }),
    );
    expect(await shown()).toEqual([...paid.slice(0, 18), ...unpaid]);
  });

  test('shows the recipient to the owner only, and an order to those only that own or owned it', async () => {
    // The order is quoted at the best rate.
    const first = await corridor.newLp({ rate: 130 });
    const [second, stranger] = [await corridor.newLp(), await corridor.newLp()];
    const id = await agent.newOrder();
    const lpOf = 'select lp_id from orders where id = $1';
    expect(await corridor.db.query('lp-of-order', lpOf, [id])).toEqual([{ lp_id: first.id }]);
    for (const lp of [first, second, stranger]) expect(await list(lp)).toEqual({ ids: [], next: null });
    await expectStatus(200, first.claim(id));
    await expectStatus(200, first.release(id));
    await expectStatus(200, second.claim(id));
    const shown = async (lp: TestLp) => (await read(lp, '/orders?status=claimed')).body.orders;
    expect(await shown(second)).toMatchObject([{ id, owned: true, recipient: expect.any(String) }]);
    expect(await shown(first)).toMatchObject([
      { id, owned: false, recipient: null, recipient_name: null, user_crypto_tx_hash: null },
    ]);
    expect(await shown(stranger)).toEqual([]);
    // An LP's id is no key.
    expect((await second.call('GET', `/api/lp/${first.id}/orders`)).status).toBe(401);
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', '-1'],
    ['cursor', '1 or true'],
    ['status', 'paid'],
  ])('refuses %s=%s and names the parameter', async (field, value) => {
    const { status, body } = await read(
      await corridor.newLp(),
      `/orders?${field}=${encodeURIComponent(value)}`,
    );
    expect(status).toBe(400);
    expect(Object.keys(body.error.fieldErrors)).toEqual([field]);
  });
});

describe('an order’s timeline', () => {
  test('is for its LP, and for any LP that had it before', async () => {
    const [first, second, stranger] = await Promise.all([
      corridor.newLp(),
      corridor.newLp(),
      corridor.newLp(),
    ]);
    const id = await agent.newOrder();
    const path = `/orders/${id}/timeline`;
    // No LP owns it yet, not even the quoted one.
    for (const lp of [first, second, stranger]) expect((await read(lp, path)).status).toBe(404);
    await first.claim(id);
    expect((await read(first, path)).body).toMatchObject({
      order_id: id,
      status: 'claimed',
      transitions: [{ cause: 'pay' }, { cause: 'claim', lp_id: first.id }],
      next: { waiting_for: 'lp' },
    });
    expect((await read(second, path)).status).toBe(404);
    await first.release(id);
    await second.claim(id);
    for (const lp of [first, second]) {
      const { body } = await read(lp, path);
      expect(body.transitions.at(-1)).toMatchObject({ cause: 'claim', lp_id: second.id });
    }
    expect((await read(stranger, path)).status).toBe(404);
  });

  test('of an unknown order gets a 404', async () => {
    expect((await read(await corridor.newLp(), '/orders/999999/timeline')).status).toBe(404);
  });
});

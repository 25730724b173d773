import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { connectFeed } from '../support/feed-client.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const set = ({ id }: TestLp, verb: 'approve' | 'suspend') =>
  expectStatus(200, corridor.admin('POST', `/api/admin/lps/${id}/${verb}`));
/** If LPs need an approval, only approved LPs see the open orders. */
const corridor = await useCorridor({ env: { LP_AUTO_APPROVE: 'false' } });
const agent = await corridor.newAgent();
const approved = await corridor.newLp();
await set(approved, 'approve');
const ids = (orders: { id: number }[]) => orders.map(({ id }) => id);
const poll = (lp: TestLp, query = '') =>
  expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/orders/stream${query}`));
const dashboard = (lp: TestLp) => expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
const connect = (lp: TestLp, cursor?: string) =>
  connectFeed(corridor.config.publicUrl, { key: lp.key, ...(cursor ? { cursor } : {}) });

describe('an LP that is not approved', () => {
  test('sees no open orders in its dashboard, only its own', async () => {
    const lp = await corridor.newLp();
    const [open, own] = [await agent.newOrder(), await agent.newOrder()];
    expect((await dashboard(lp)).open_orders).toEqual([]);
    await set(lp, 'approve');
    expect(ids((await dashboard(lp)).open_orders)).toEqual(expect.arrayContaining([open, own]));
    await expectStatus(200, lp.claim(own));
    await set(lp, 'suspend');
    const { open_orders, my_orders } = await dashboard(lp);
    expect([open_orders, ids(my_orders)]).toEqual([[], [own]]);
    expect(my_orders[0].recipient).toBe('+254700123456');
  });

  test('gets no open orders from a poll, and misses none after its approval', async () => {
    const lp = await corridor.newLp();
    const first = await agent.newOrder();
    const waiting = await poll(lp);
    expect(waiting).toMatchObject({ orders: [], count: 0, poll_again_ms: 10_000 });
    const second = await agent.newOrder();
    const still = await poll(lp, `?cursor=${waiting.cursor}`);
    expect(still).toEqual(waiting);
    await set(lp, 'approve');
    await waitForOlderTransactions(corridor.db);
    const shown = await poll(lp, `?cursor=${still.cursor}`);
    expect(ids(shown.orders)).toEqual(expect.arrayContaining([first, second]));
    await set(lp, 'suspend');
    await agent.newOrder();
    expect(await poll(lp, `?cursor=${shown.cursor}`)).toMatchObject({ orders: [], cursor: shown.cursor });
  });

  test('receives no open order on the socket until it is approved', async () => {
    const [lp, early] = [await corridor.newLp(), await agent.newOrder()];
    await waitForOlderTransactions(corridor.db);
    const [client, witness] = [await connect(lp), await connect(approved)];
    expect((await client.next('snapshot')).orders).toEqual([]);
    expect(ids((await witness.next('snapshot')).orders)).toContain(early);
    const missed = await agent.newOrder();
    await witness.next('order.open', ({ order }) => order.id === missed);
    await set(lp, 'approve');
    const received = await agent.newOrder();
    await client.next('order.open', ({ order }) => order.id === received);
    expect(client.ofType('order.open').map(({ order }) => order.id)).toEqual([received]);

    // A new connection gets all open orders, and so does one that resumes.
    await waitForOlderTransactions(corridor.db);
    const [fresh, resumed] = [await connect(lp), await connect(lp, (await client.next('hello')).cursor)];
    expect(ids((await fresh.next('snapshot')).orders)).toEqual(
      expect.arrayContaining([early, missed, received]),
    );
    await resumed.next('order.open', ({ order }) => order.id === received);
    expect(resumed.ofType('order.open').map(({ order }) => order.id)).toContain(missed);
    for (const one of [client, witness, fresh, resumed]) await one.close();
  });

  test('that is suspended while it is connected receives only its own orders', async () => {
    const lp = await corridor.newLp();
    await set(lp, 'approve');
    const own = await agent.newOrder();
    const client = await connect(lp);
    await client.next('snapshot');
    await expectStatus(200, lp.claim(own));
    await client.next('order.updated', ({ order }) => order.id === own && order.status === 'claimed');
    await set(lp, 'suspend');
    const open = await agent.newOrder();
    await expectStatus(200, approved.claim(open));
    await expectStatus(200, lp.fiatSent(own));
    // This message comes after the others in the feed, so the client has received those by now.
    await client.next('order.updated', ({ order }) => order.id === own && order.status === 'fiat_sent');
    expect(client.received.filter((m) => JSON.stringify(m).includes(`"id":${open},`))).toEqual([]);
    const again = await connect(lp, (await client.next('hello')).cursor);
    await again.next('order.updated', ({ order }) => order.id === own && order.status === 'fiat_sent');
    expect(again.ofType('order.open')).toEqual([]);
    for (const one of [client, again]) await one.close();
  });
});

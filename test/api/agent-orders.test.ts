import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ env: { SETTLE_TIMEOUT: '30d' } });
const lp = await corridor.newLp();

describe('GET /api/v1/orders', () => {
  let agent: Agent;
  const ids: number[] = [];
  beforeAll(async () => {
    agent = await corridor.newAgent();
    await corridor.newLp({ currency: 'UGX', rate: 3_700 });
    for (let i = 0; i < 5; i++) ids.unshift(await agent.newOrder(i === 2 ? { currency: 'UGX' } : {}));
    await (await corridor.newAgent()).newOrder();
  });
  const list = async (query: string) => {
    const body = await expectStatus(200, agent.call('GET', `/api/v1/orders${query}`));
    const orders = body.orders.map(({ order_id }: { order_id: number }) => order_id) as number[];
    return { orders, next: body.next_cursor as string | null };
  };

  test('returns the agent’s own orders as status views, newest first', async () => {
    const { body } = await agent.call('GET', '/api/v1/orders');
    expect(await list('')).toEqual({ orders: ids, next: null });
    expect(body.orders[0]).toEqual((await agent.call('GET', `/api/v1/status/${ids[0]}`)).body);
  });

  test('returns each order once over all pages, even when new orders arrive in between', async () => {
    const first = await list('?limit=2');
    expect(first).toEqual({ orders: ids.slice(0, 2), next: expect.any(String) });
    ids.unshift(await agent.newOrder());
    const second = await list(`?limit=2&cursor=${first.next}`);
    expect(second).toEqual({ orders: ids.slice(3, 5), next: expect.any(String) });
    expect(await list(`?limit=2&cursor=${second.next}`)).toEqual({ orders: ids.slice(5), next: null });
  });

  test('filters by status, currency and time of creation', async () => {
    const claimed = ids[1] as number;
    await expectStatus(200, lp.claim(claimed));
    expect((await list('?status=claimed')).orders).toEqual([claimed]);
    expect((await list('?currency=ugx')).orders).toEqual([ids[3]]);
    expect((await list('?currency=UGX&status=claimed')).orders).toEqual([]);

    const { created_at } = await expectStatus(200, agent.call('GET', `/api/v1/status/${ids[2]}`));
    expect((await list(`?created_from=${created_at}`)).orders).toEqual(ids.slice(0, 3));
    expect((await list(`?created_to=${created_at}`)).orders).toEqual(ids.slice(3));
    const elsewhere = encodeURIComponent(created_at.replace('Z', '+00:00'));
    expect((await list(`?created_from=${elsewhere}&limit=1`)).orders).toEqual(ids.slice(0, 1));
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'many'],
    ['cursor', 'abc'],
    ['cursor', '99999999999999999999'],
    ['status', 'lost'],
    ['currency', 'KESH'],
    ['created_from', 'yesterday'],
    ['created_to', '2026-13-01T00:00:00Z'],
  ])('refuses %s=%s and names the parameter', async (field, value) => {
    const { status, body } = await agent.call('GET', `/api/v1/orders?${field}=${value}`);
    expect(status).toBe(400);
    expect(Object.keys(body.error.fieldErrors)).toEqual([field]);
  });
});

describe('GET /api/v1/orders/{orderId}/timeline', () => {
  const timeline = (agent: Agent, id: number) =>
    expectStatus(200, agent.call('GET', `/api/v1/orders/${id}/timeline`));

  test('returns every transition with its actor and reason, and who acts next', async () => {
    const agent = await corridor.newAgent();
    const id = await agent.newOrder();
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const paid = {
      seq: 1,
      from_status: null,
      status: 'matched',
      actor: 'agent',
      lp_id: null,
      cause: 'pay',
      reason: null,
      reason_code: null,
      at,
    };
    expect(await timeline(agent, id)).toEqual({
      order_id: id,
      status: 'matched',
      transitions: [paid],
      incidents: [],
      next: { waiting_for: 'lp', due_at: at, stopped: null },
    });

    await lp.claim(id);
    await lp.fiatSent(id);
    const { body: order } = await agent.call('GET', `/api/orders/${id}`);
    const later = await timeline(agent, id);
    expect(
      later.transitions.map(({ at: _, reason, reason_code, ...rest }: Record<string, unknown>) => rest),
    ).toEqual([
      { seq: 1, from_status: null, status: 'matched', actor: 'agent', lp_id: null, cause: 'pay' },
      { seq: 2, from_status: 'matched', status: 'claimed', actor: 'lp', lp_id: lp.id, cause: 'claim' },
      { seq: 3, from_status: 'claimed', status: 'fiat_sent', actor: 'lp', lp_id: lp.id, cause: 'fiatSent' },
    ]);
    expect(later.next).toEqual({ waiting_for: 'agent', due_at: order.timeout_at, stopped: null });
  });

  test('has a reason if there is one, and no next action at the end', async () => {
    const agent = await corridor.newAgent();
    const id = await agent.confirmedOrder(lp);
    await agent.settle(id, await corridor.transaction(lp.address, 1));
    const rejected = await eventually(async () => {
      const { transitions } = await timeline(agent, id);
      return transitions.find(({ cause }: { cause: string }) => cause === 'invalid');
    });
    expect(rejected).toMatchObject({ actor: 'service', lp_id: null, status: 'confirmed' });
    expect(rejected).toMatchObject({ reason: expect.stringMatching(/\w/), reason_code: 'underpaid' });

    await agent.settle(id, await corridor.payment(agent, id));
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
    expect(await timeline(agent, id)).toMatchObject({ status: 'completed', next: null });
  });

  test('shows a dispute as waiting for an admin, without a clock', async () => {
    const [agent, other] = [await corridor.newAgent(), await corridor.newLp()];
    const id = await agent.newOrder();
    await expectStatus(200, other.claim(id));
    await expectStatus(200, other.fiatSent(id));
    await passDeadline(corridor, id);
    await eventuallyEquals(() => agent.statusOf(id), 'disputed');
    expect((await timeline(agent, id)).next).toEqual({ waiting_for: 'admin', due_at: null, stopped: null });
  });

  test('of another agent’s order is not found', async () => {
    const id = await (await corridor.newAgent()).newOrder();
    const other = await corridor.newAgent();
    expect(await other.call('GET', `/api/v1/orders/${id}/timeline`)).toMatchObject({
      status: 404,
      body: { error: 'Not found' },
    });
  });
});

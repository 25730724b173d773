import { describe, expect, test } from '@jest/globals';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ env: { TEMPORAL_UI_URL: 'https://temporal.example/' } });
const [agent, other] = [await corridor.newAgent(), await corridor.newAgent()];
await corridor.newLp();
// More expensive than the first LP: it is never quoted, but claims an order.
const lp = await corridor.newLp({ rate: 120 });
await corridor.newLp({ currency: 'UGX', rate: 3_700 });
/** Oldest first: two orders of `agent`, the second one claimed, and one of `other` in another currency. */
const ids: [number, number, number] = [
  await agent.newOrder({ callback_url: corridor.receiver.url }),
  await agent.newOrder(),
  await other.newOrder({ currency: 'UGX' }),
];
await lp.claim(ids[1]);

const list = (query = '') => corridor.admin('GET', `/api/admin/orders${query}`);
const idsOf = async (query: string): Promise<number[]> =>
  (await list(query)).body.orders.map(({ id }: { id: number }) => id);

describe('the list of orders', () => {
  test('shows each as its parties see it, with its origin, and without the recipient', async () => {
    const { body } = await list(`?limit=1&cursor=${ids[1]}`);
    expect(body.orders).toEqual([
      {
        ...(await agent.call('GET', `/api/orders/${ids[0]}`)).body,
        callback_url: corridor.receiver.url,
        user_id: agent.userId,
        agent_key_id: agent.keyId,
        status_reason: null,
        status_reason_code: null,
        version: 1,
        frozen: false,
        clock_stopped: false,
        contested_by: null,
        collateral_locked: null,
        slashed_usd: null,
      },
    ]);
    expect(JSON.stringify((await list()).body)).not.toContain('254700123456');
  });

  test('is filtered by status, currency, agent key and LP, alone and together', async () => {
    const [first, second, third] = ids;
    expect(await idsOf('')).toEqual([third, second, first]);
    expect(await idsOf('?status=claimed')).toEqual([second]);
    expect(await idsOf('?currency=ugx')).toEqual([third]);
    expect(await idsOf(`?agent_key_id=${agent.keyId}`)).toEqual([second, first]);
    expect(await idsOf(`?lp_id=${lp.id}`)).toEqual([second]);
    expect(await idsOf(`?agent_key_id=${agent.keyId}&status=matched`)).toEqual([first]);
    expect(await idsOf(`?agent_key_id=${other.keyId}&currency=KES`)).toEqual([]);
  });

  test('is filtered by creation time: from one time, and before another', async () => {
    const [first, second, third] = ids;
    const { orders } = (await list()).body;
    const at = orders.find(({ id }: { id: number }) => id === second).created_at;
    expect(await idsOf(`?created_from=${at}`)).toEqual([third, second]);
    expect(await idsOf(`?created_to=${at}`)).toEqual([first]);
    const inNairobi = `${new Date(Date.parse(at) + 3 * 3_600_000).toISOString().slice(0, -1)}+03:00`;
    expect(await idsOf(`?created_from=${encodeURIComponent(inNairobi)}&created_to=9999-01-01`)).toEqual([
      third,
      second,
    ]);
    expect(await idsOf('?created_to=1970-01-01')).toEqual([]);
  });

  test('is read page by page', async () => {
    const [first, second, third] = ids;
    const page = await list('?limit=2');
    expect(page.body.orders.map(({ id }: { id: number }) => id)).toEqual([third, second]);
    expect(page.body.next_cursor).toBe(String(second));
    expect((await list(`?limit=2&cursor=${second}`)).body).toMatchObject({
      orders: [{ id: first }],
      next_cursor: null,
    });
    expect((await list('?limit=3')).body.next_cursor).toBeNull();
  });

  test.each([
    'status=lost',
    'waits_for_admin=yes',
    'currency=shillings',
    'agent_key_id=0',
    'lp_id=abc',
    'lp_id=1&lp_id=2',
    'created_from=yesterday',
    'created_from=0000-01-01',
    'created_to=9999-12-31T23:59:59-23:59',
    'cursor=-1',
    'limit=1000',
  ])('refuses ?%s and names the field', async (query) => {
    const { status, body } = await list(`?${query}`);
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, [query.split('=')[0]]]);
  });
});

describe('a single order', () => {
  test('has the fields of the list, names, how the fiat is delivered, and a link to its workflow in the Temporal UI', async () => {
    const [, , third] = ids;
    const { status, body } = await corridor.admin('GET', `/api/admin/orders/${third}`);
    const workflow_url = `https://temporal.example/namespaces/${corridor.config.temporalNamespace}/workflows/order-${third}`;
    const names = { agent_name: 'test', lp_name: expect.any(String), user_name: null };
    const delivery = {
      method: 'mobile_money',
      institution: null,
      recipient_masked: expect.stringMatching(/^\+2•+\d\d$/),
    };
    const [listed] = (await list('?limit=1')).body.orders;
    expect([status, body]).toEqual([200, { ...listed, ...delivery, ...names, evidence: [], workflow_url }]);
  });

  test('that does not exist gets a 404', async () => {
    for (const id of ['999999', 'x', '0']) {
      expect((await corridor.admin('GET', `/api/admin/orders/${id}`)).status).toBe(404);
    }
  });
});

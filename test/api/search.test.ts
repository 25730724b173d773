import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();

const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const orderId = await corridor.completedOrder(agent, lp);

const search = async (q: string) =>
  (await expectStatus(200, corridor.admin('GET', `/api/admin/search?${new URLSearchParams({ q })}`))).results;

describe('GET /api/admin/search', () => {
  test('finds an order by its id and its payment id', async () => {
    const order = { kind: 'order', id: orderId, status: 'completed', name: null };
    const link = `/api/admin/orders/${orderId}`;
    expect(await search(` #${orderId} `)).toContainEqual({ ...order, matched: 'id', link });
    const [row] = await corridor.db.query<{ payment_id: string }>(
      't-payment',
      'select payment_id from orders where id = $1',
      [orderId],
    );
    expect(await search(row?.payment_id ?? '')).toEqual([{ ...order, matched: 'payment_id', link }]);
  });

  test('finds the order of a transaction in every spelling of its hash', async () => {
    const [row] = await corridor.db.query<{ hash: string }>(
      't-hash',
      'select user_crypto_tx_hash as hash from orders where id = $1',
      [orderId],
    );
    const bare = String(row?.hash).replace(/^0x/i, '').toLowerCase();
    for (const spelling of [bare, bare.toUpperCase(), `0x${bare}`, `0X${bare.toUpperCase()}`, ` ${bare} `])
      expect([spelling, await search(spelling)]).toEqual([
        spelling,
        [expect.objectContaining({ kind: 'order', id: orderId, matched: 'tx_hash' })],
      ]);
  });

  test('finds an order by a hash that is not verified yet', async () => {
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await corridor.db.pool.query(`update orders set user_crypto_tx_hash = ' 0XABCDEF01' where id = $1`, [id]);
    expect(await search('abcdef01')).toMatchObject([
      { kind: 'order', id, status: 'claimed', matched: 'tx_hash' },
    ]);
  });

  test('finds keys, LPs and users by their ids, and by the beginning of their names in any case', async () => {
    const body = { name: 'Zürich till', integrator_name: 'Zephyr Ltd' };
    const { id } = await expectStatus(201, corridor.admin('POST', '/api/admin/agent-keys', body));
    const user = await expectStatus(201, corridor.admin('POST', '/api/admin/users', { name: 'Zéphyrine' }));
    await corridor.db.pool.query(`update lp set display_name = 'Zanzibar 100%_pay' where id = $1`, [lp.id]);
    expect(await search('zürich')).toEqual([
      {
        ...{ kind: 'agent_key', id, matched: 'name', name: 'Zürich till', status: 'active' },
        link: '/api/admin/agent-keys',
      },
    ]);
    expect(await search('ZüRICH TILL')).toMatchObject([{ kind: 'agent_key', id }]);
    await corridor.db.pool.query('update agent_key set expires_at = now() where id = $1', [id]);
    expect(await search('zürich')).toMatchObject([{ id, status: 'expired' }]);
    expect(await search('zephyr')).toMatchObject([{ kind: 'agent_key', id, matched: 'integrator_name' }]);
    expect(await search('ZéPH')).toMatchObject([
      { kind: 'user', id: user.id, status: null, name: 'Zéphyrine' },
    ]);
    expect(await search('zanzibar 100%_')).toMatchObject([{ kind: 'lp', id: lp.id, status: 'approved' }]);
    // No character is a pattern.
    expect(await search('zanzibar 100_')).toEqual([]);
    expect(await search('%')).toEqual([]);
    for (const found of await search('z')) {
      const { body: list } = await corridor.admin('GET', found.link);
      const rows: { id: number }[] = Array.isArray(list)
        ? list
        : (Object.values(list)[0] as { id: number }[]);
      expect(rows.map(({ id }) => id)).toContain(found.id);
    }
    expect(await search(String(id))).toContainEqual(
      expect.objectContaining({ kind: 'agent_key', id, matched: 'id' }),
    );
  });

  test('finds admins by their ids and names, with what they did', async () => {
    const body = { name: 'Nina of Nights', role: 'support' };
    const { id } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', body));
    const nina = { kind: 'admin', id, name: 'Nina of Nights', status: 'active' };
    expect(await search('nina')).toEqual([
      { ...nina, matched: 'name', link: `/api/admin/audit?actor=admin:${id}` },
    ]);
    expect(await search(String(id))).toContainEqual(expect.objectContaining({ ...nina, matched: 'id' }));
  });

  test('finds an order by the beginning of its payment id or of its hash', async () => {
    const [row] = await corridor.db.query<{ payment_id: string; hash: string }>(
      't-prefixes',
      'select payment_id, user_crypto_tx_hash as hash from orders where id = $1',
      [orderId],
    );
    const { payment_id = '', hash = '' } = row ?? {};
    const order = expect.objectContaining({ kind: 'order', id: orderId });
    expect(await search(payment_id.slice(0, 10))).toEqual([order]);
    expect(await search(hash.toUpperCase().slice(0, 12))).toEqual([order]);
    // Too short, or no beginning of an id.
    for (const text of [payment_id.slice(0, 7), 'pay_', hash.slice(1, 12), `${payment_id}0`])
      expect([text, await search(text)]).toEqual([text, []]);
  });

  test('returns at most ten by each name', async () => {
    await corridor.db.pool.query(
      `insert into app_user (name) select 'many ' || n from generate_series(1, 30) n`,
    );
    expect(await search('many')).toHaveLength(10);
  });

  test.each([
    ['nothing', ''],
    ['what no name or id has', '\0'],
    ['too much', 'x'.repeat(201)],
  ])('refuses %s', async (_, q) => {
    const answer = await corridor.admin('GET', `/api/admin/search?${new URLSearchParams({ q })}`);
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([400, 'validation_failed']);
  });

  test('finds nothing by any other text', async () => {
    for (const text of ['no such thing', "'; drop table orders", '9'.repeat(30), '\\', '-1'])
      expect([text, await search(text)]).toEqual([text, []]);
  });
});

test('an order names its key, its LP and its user', async () => {
  const order = await expectStatus(200, corridor.admin('GET', `/api/admin/orders/${orderId}`));
  expect(order).toMatchObject({ agent_name: 'test', lp_name: expect.any(String), user_name: null });
});

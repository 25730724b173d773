import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Agent,
  claim,
  confirm,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  pay,
  settle,
  statusOf,
  type TestLp,
  transaction,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';

let corridor: TestCorridor;
let lp: TestLp;
beforeAll(async () => {
  corridor = await startCorridor();
  lp = await newLp(corridor);
});
afterAll(() => corridor.stop());

const path = ({ keyId }: Agent, rest = '') => `/api/admin/agent-keys/${keyId}${rest}`;
const rotate = (agent: Agent, body: object = {}) => corridor.admin('POST', path(agent, '/rotate'), body);
const update = (agent: Agent, body: object) => corridor.admin('POST', path(agent), body);
/** What the API makes of a secret. */
const tried = async (key: string) => (await corridor.as(key)('GET', '/api/v1/status/999999')).status;
const [WORKS, REFUSED] = [404, 403];

describe('a rotated agent key', () => {
  test('has a new secret, and the old one for another day', async () => {
    const agent = await newAgent(corridor);
    const { status, body } = await rotate(agent);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: agent.keyId,
      api_key: expect.stringMatching(/^rk_live_[0-9a-f]{48}$/),
      warning: expect.any(String),
      old_key_expires_at: expect.any(String),
    });
    const hours = (Date.parse(body.old_key_expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(25);
    expect(body.api_key).not.toBe(agent.key);
    expect([await tried(agent.key), await tried(body.api_key)]).toEqual([WORKS, WORKS]);
  });

  test('keeps its orders, which both secrets see and move', async () => {
    const agent = await newAgent(corridor);
    const id = await newOrder(agent);
    await claim(lp, id);
    await fiatSent(lp, id);
    const { body } = await rotate(agent);
    const renewed = { ...agent, call: corridor.as(body.api_key) };
    for (const who of [agent, renewed]) {
      expect(await statusOf(who, id)).toBe('fiat_sent');
      expect((await who.call('GET', `/api/orders/${id}`)).body.user_id).toBe(agent.userId);
    }
    expect((await confirm(renewed, id)).status).toBe(200);
  });

  test.each([
    ['seconds', 0],
    ['a duration', '0s'],
  ])('with no overlap, in %s, ends the old secret at once', async (_form, overlap) => {
    const agent = await newAgent(corridor);
    const { body } = await rotate(agent, { overlap });
    await eventuallyEquals(() => tried(agent.key), REFUSED);
    expect(await tried(body.api_key)).toBe(WORKS);
  });

  test('lets the old secret go when the overlap is over', async () => {
    const agent = await newAgent(corridor);
    const id = await newOrder(agent);
    const { body } = await rotate(agent, { overlap: 1 });
    expect(Date.parse(body.old_key_expires_at)).toBeLessThan(Date.now() + 2_000);
    await eventuallyEquals(() => tried(agent.key), REFUSED);
    expect((await agent.call('GET', `/api/orders/${id}`)).body).not.toHaveProperty('user_id');
    expect(await tried(body.api_key)).toBe(WORKS);
  });

  test('and rotated again keeps the oldest, for want of an answer to the first rotation, but not for ever', async () => {
    const agent = await newAgent(corridor);
    const second = (await rotate(agent)).body.api_key;
    const third = (await rotate(agent)).body.api_key;
    const all = () => Promise.all([agent.key, second, third].map(tried));
    expect(await all()).toEqual([WORKS, WORKS, WORKS]);
    await rotate(agent, { overlap: 0 });
    await eventuallyEquals(async () => (await all()).join(), [REFUSED, REFUSED, REFUSED].join());
  });

  test('rotated ten times at once has three secrets that work', async () => {
    const agent = await newAgent(corridor);
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(agent)));
    const keys = [agent.key, ...answers.map(({ body }) => body.api_key as string)];
    const statuses = await Promise.all(keys.map(tried));
    expect(statuses.filter((status) => status === WORKS)).toHaveLength(3);
    expect(statuses[0]).toBe(WORKS);
  });

  test('and then deactivated refuses both, and is not rotated again', async () => {
    const agent = await newAgent(corridor);
    const { api_key } = (await rotate(agent)).body;
    await corridor.admin('DELETE', path(agent));
    expect([await tried(agent.key), await tried(api_key)]).toEqual([REFUSED, REFUSED]);
    expect(await rotate(agent)).toMatchObject({
      status: 409,
      body: { error: 'This agent key is deactivated' },
    });
  });

  test('is stored as hashes', async () => {
    const agent = await newAgent(corridor);
    const { api_key } = (await rotate(agent)).body;
    const rows = await corridor.db.query(
      'row',
      'select agent_key::text as row from agent_key where id = $1',
      [agent.keyId],
    );
    for (const key of [agent.key, api_key]) expect(JSON.stringify(rows)).not.toContain(key.slice(8));
  });

  test('must exist', async () => {
    const answer = await corridor.admin('POST', '/api/admin/agent-keys/999999/rotate', {});
    expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });

  test.each(['soon', '', '24', '-1h', '366d', -1, 1.5, 1e300, null])(
    'refuses the overlap %p',
    async (overlap) => {
      const agent = await newAgent(corridor);
      const { status, body } = await rotate(agent, { overlap });
      expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, ['overlap']]);
      expect(await tried(agent.key)).toBe(WORKS);
    },
  );
});

describe('an agent key is changed', () => {
  const listed = async ({ keyId }: Agent) => {
    const { body } = await corridor.admin('GET', '/api/admin/agent-keys');
    return body.find(({ id }: { id: number }) => id === keyId);
  };

  test('field by field: what is left out stays, and null takes a limit away', async () => {
    const agent = await newAgent(corridor);
    const all = { name: 'shop', integrator_name: 'Shop Ltd', rate_limit: 600, max_exposure_usd: 5_000.25 };
    const first = await update(agent, all);
    expect(first).toMatchObject({ status: 200, body: { id: agent.keyId, is_active: true, ...all } });
    expect(await listed(agent)).toEqual(first.body);
    const second = await update(agent, { rate_limit: null });
    expect(second.body).toEqual({ ...first.body, rate_limit: null });
    expect((await update(agent, {})).body).toEqual(second.body);
    expect((await update(agent, { max_exposure_usd: null })).body.max_exposure_usd).toBeNull();
  });

  test.each([
    { name: '' },
    { integrator_name: 'a\u0000b' },
    { rate_limit: 0 },
    { rate_limit: 1.5 },
    { rate_limit: '10' },
    { max_exposure_usd: -1 },
    { max_exposure_usd: 0.0000001 },
    { max_exposure_usd: 1e12 },
  ])('but not to %j', async (changes) => {
    const agent = await newAgent(corridor);
    const { status, body } = await update(agent, changes);
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, Object.keys(changes)]);
  });

  test('only when there is one', async () => {
    const answer = await corridor.admin('POST', '/api/admin/agent-keys/999999', { name: 'x' });
    expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });
});

describe('max_exposure_usd', () => {
  // 1 295 KES are 10 USD.
  const capped = async (max_exposure_usd: number) => {
    const agent = await newAgent(corridor);
    await update(agent, { max_exposure_usd });
    return agent;
  };
  const orderCount = async ({ keyId }: Agent) => {
    const sql = 'select count(*)::int as n from orders where agent_key_id = $1';
    return (await corridor.db.query<{ n: number }>('orders-of', sql, [keyId]))[0]?.n;
  };

  test('lets payments up to the cap through, and refuses what is a millionth more', async () => {
    const agent = await capped(10);
    expect((await pay(agent, { amount: 1_295.01 })).status).toBe(400);
    expect(await orderCount(agent)).toBe(0);
    expect((await pay(agent)).status).toBe(201);
  });

  test('counts orders from the claim until they are settled', async () => {
    const agent = await capped(15);
    const [first, open] = [await newOrder(agent), await newOrder(agent)];
    await claim(lp, first);
    const refused = await pay(agent);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/10\.00 USD; with 10\.00 USD unsettled .* limit of 15\.00 USD/) },
    });
    expect((await pay(agent, { amount: 647.5 })).status).toBe(201);
    await fiatSent(lp, first);
    expect((await pay(agent)).status).toBe(400);
    await confirm(agent, first);
    expect((await pay(agent)).status).toBe(400);
    const hash = await transaction(corridor.anyone, lp.address, 10.05, { final_after_ms: 60_000 });
    await settle(agent, first, hash);
    expect((await pay(agent)).status).toBe(400);
    expect(await statusOf(agent, open)).toBe('matched');
  });

  test('goes on counting an order that has come into dispute', async () => {
    const agent = await capped(15);
    const id = await newOrder(agent);
    await claim(lp, id);
    await corridor.db.query('dispute', `update orders set status = 'disputed' where id = $1`, [id]);
    expect((await pay(agent)).status).toBe(400);
  });

  test('is free again when an order is completed', async () => {
    const agent = await capped(10);
    const id = await newOrder(agent);
    await claim(lp, id);
    await fiatSent(lp, id);
    await confirm(agent, id);
    expect((await pay(agent)).status).toBe(400);
    await settle(agent, id, await transaction(corridor.anyone, lp.address, 10.05));
    await eventually(async () => (await pay(agent)).status === 201);
  });

  test('does not stand against a payment that was answered before, nor another agent’s', async () => {
    const agent = await capped(10);
    const headers = { 'idempotency-key': 'before-the-cap' };
    const first = await pay(agent, {}, headers);
    await claim(lp, first.body.order_id);
    expect((await pay(agent)).status).toBe(400);
    expect((await pay(agent, {}, headers)).status).toBe(200);
    expect((await pay(await newAgent(corridor))).status).toBe(201);
  });

  test('of zero lets the agent finish its orders and begin no other', async () => {
    const agent = await newAgent(corridor);
    const id = await newOrder(agent);
    await update(agent, { max_exposure_usd: 0 });
    expect((await pay(agent)).status).toBe(400);
    await claim(lp, id);
    await fiatSent(lp, id);
    expect((await confirm(agent, id)).status).toBe(200);
  });

  test('is looked up by an index that holds unsettled orders only', async () => {
    const client = await corridor.db.pool.connect();
    try {
      await client.query('begin; set local enable_seqscan = off');
      const { rows } = await client.query(
        `explain select coalesce(sum(amount_usd), 0)::text from orders where agent_key_id = 1
         and status in ('claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending')`,
      );
      expect(JSON.stringify(rows)).toContain('orders_unsettled');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

import { describe, expect, test } from '@jest/globals';
import { eventuallyEquals } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const lp = await corridor.newLp();

const path = ({ keyId }: Agent, rest = '') => `/api/admin/agent-keys/${keyId}${rest}`;
const rotate = (agent: Agent, body: object = {}) => corridor.admin('POST', path(agent, '/rotate'), body);
const update = (agent: Agent, body: object) => corridor.admin('POST', path(agent), body);
/** Returns how the API treats a secret. */
const tried = async (key: string) => (await corridor.as(key)('GET', '/api/v1/status/999999')).status;
const [WORKS, REFUSED] = [404, 403];

describe('a rotated agent key', () => {
  test('has a new secret, and keeps the old one for another day', async () => {
    const agent = await corridor.newAgent();
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

  test('keeps its orders, which both secrets can read and move', async () => {
    const agent = await corridor.newAgent();
    const id = await agent.newOrder();
    await lp.claim(id);
    await lp.fiatSent(id);
    const { body } = await rotate(agent);
    const renewed = { ...agent, call: corridor.as(body.api_key) };
    for (const holder of [agent, renewed]) {
      expect(await holder.statusOf(id)).toBe('fiat_sent');
      expect((await holder.call('GET', `/api/orders/${id}`)).body.user_id).toBe(agent.userId);
    }
    expect((await renewed.confirm(id)).status).toBe(200);
  });

  test.each([
    ['seconds', 0],
    ['a duration', '0s'],
  ])('with no overlap, given as %s, ends the old secret immediately', async (_form, overlap) => {
    const agent = await corridor.newAgent();
    const { body } = await rotate(agent, { overlap });
    await eventuallyEquals(() => tried(agent.key), REFUSED);
    expect(await tried(body.api_key)).toBe(WORKS);
  });

  test('drops the old secret when the overlap ends', async () => {
    const agent = await corridor.newAgent();
    const id = await agent.newOrder();
    const { body } = await rotate(agent, { overlap: 1 });
    expect(Date.parse(body.old_key_expires_at)).toBeLessThan(Date.now() + 2_000);
    await eventuallyEquals(() => tried(agent.key), REFUSED);
    expect((await agent.call('GET', `/api/orders/${id}`)).body).not.toHaveProperty('user_id');
    expect(await tried(body.api_key)).toBe(WORKS);
  });

  test('keeps its oldest secret through a second rotation, in case the first response was lost, but not forever', async () => {
    const agent = await corridor.newAgent();
    const second = (await rotate(agent)).body.api_key;
    const third = (await rotate(agent)).body.api_key;
    const all = () => Promise.all([agent.key, second, third].map(tried));
    expect(await all()).toEqual([WORKS, WORKS, WORKS]);
    await rotate(agent, { overlap: 0 });
    await eventuallyEquals(async () => (await all()).join(), [REFUSED, REFUSED, REFUSED].join());
  });

  test('has three working secrets after ten concurrent rotations', async () => {
    const agent = await corridor.newAgent();
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(agent)));
    const keys = [agent.key, ...answers.map(({ body }) => body.api_key as string)];
    const statuses = await Promise.all(keys.map(tried));
    expect(statuses.filter((status) => status === WORKS)).toHaveLength(3);
    expect(statuses[0]).toBe(WORKS);
  });

  test('that is deactivated accepts neither secret, and cannot be rotated again', async () => {
    const agent = await corridor.newAgent();
    const { api_key } = (await rotate(agent)).body;
    await corridor.admin('DELETE', path(agent));
    expect([await tried(agent.key), await tried(api_key)]).toEqual([REFUSED, REFUSED]);
    expect(await rotate(agent)).toMatchObject({
      status: 409,
      body: { error: 'This agent key is deactivated' },
    });
  });

  test('is stored as hashes', async () => {
    const agent = await corridor.newAgent();
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
    expect(answer).toMatchObject({
      status: 404,
      body: { error: 'There is no agent key 999999: GET /api/admin/agent-keys lists them' },
    });
  });

  test.each(['soon', '', '24', '-1h', '366d', -1, 1.5, 1e300, null])(
    'refuses the overlap %p',
    async (overlap) => {
      const agent = await corridor.newAgent();
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

  test('field by field: an omitted field stays, and null removes a limit', async () => {
    const agent = await corridor.newAgent();
    const all = { name: 'shop', integrator_name: 'Shop Ltd', rate_limit: 600, max_exposure_usd: 5_000.25 };
    const first = await update(agent, all);
    expect(first).toMatchObject({ status: 200, body: { id: agent.keyId, is_active: true, ...all } });
    expect(await listed(agent)).toEqual(first.body);
    const second = await update(agent, { rate_limit: null });
    expect(second.body).toEqual({ ...first.body, rate_limit: null });
    expect((await update(agent, {})).body).toEqual(second.body);
  });

  test.each([
    { name: '' },
    { integrator_name: 'a\u0000b' },
    { rate_limit: 0 },
    { rate_limit: 1.5 },
    { rate_limit: '10' },
    { max_exposure_usd: -1 },
    { max_exposure_usd: null },
    { max_exposure_usd: '10' },
    { max_exposure_usd: 0.0000001 },
    { max_exposure_usd: 1e12 },
  ])('but not to %j', async (changes) => {
    const agent = await corridor.newAgent();
    const { status, body } = await update(agent, changes);
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, Object.keys(changes)]);
  });

  test('only if it exists', async () => {
    const answer = await corridor.admin('POST', '/api/admin/agent-keys/999999', { name: 'x' });
    expect(answer).toMatchObject({
      status: 404,
      body: { error: 'There is no agent key 999999: GET /api/admin/agent-keys lists them' },
    });
  });
});

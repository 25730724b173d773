import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newAgent } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';

let corridor: TestCorridor;
beforeAll(async () => {
  corridor = await startCorridor({ worker: false });
});
afterAll(() => corridor.stop());

describe('agent keys', () => {
  test('are shown once and listed without their value', async () => {
    const made = await corridor.admin('POST', '/api/admin/agent-keys', {
      name: 'shop',
      integrator_name: 'Shop Ltd',
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(Number),
      api_key: expect.stringMatching(/^rk_live_[0-9a-f]{48}$/),
      warning: expect.any(String),
    });
    const list = await corridor.admin('GET', '/api/admin/agent-keys');
    expect(list.status).toBe(200);
    expect(list.body).toContainEqual({
      id: made.body.id,
      name: 'shop',
      integrator_name: 'Shop Ltd',
      rate_limit: null,
      is_active: true,
      created_at: expect.any(String),
      last_used_at: null,
    });
    expect(JSON.stringify(list.body)).not.toContain(made.body.api_key);
  });

  test('may be made without a body', async () => {
    expect((await corridor.admin('POST', '/api/admin/agent-keys')).status).toBe(201);
  });

  test('are stored as a hash', async () => {
    const { key, keyId } = await newAgent(corridor);
    const rows = await corridor.db.query(
      'dump',
      'select agent_key::text as row from agent_key where id = $1',
      [keyId],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(key.slice('rk_live_'.length));
  });

  test('say when they were used', async () => {
    const agent = await newAgent(corridor);
    await agent.call('GET', '/api/v1/status/1');
    const { body } = await corridor.admin('GET', '/api/admin/agent-keys');
    const listed = body.find(({ id }: { id: number }) => id === agent.keyId);
    expect(Date.parse(listed.last_used_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  test('work no more once deleted, and stay in the list', async () => {
    const agent = await newAgent(corridor);
    const deleted = await corridor.admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`);
    expect(deleted).toMatchObject({ status: 200, body: { ok: true } });
    expect((await agent.call('GET', '/api/v1/status/1')).status).toBe(403);
    const { body } = await corridor.admin('GET', '/api/admin/agent-keys');
    expect(body.find(({ id }: { id: number }) => id === agent.keyId).is_active).toBe(false);
  });

  test('that do not exist cannot be deleted', async () => {
    expect((await corridor.admin('DELETE', '/api/admin/agent-keys/999999')).status).toBe(404);
  });

  test('refuse a name that is none', async () => {
    const answer = await corridor.admin('POST', '/api/admin/agent-keys', { name: 7 });
    expect(answer).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
  });
});

test('users are made by admins', async () => {
  const made = await corridor.admin('POST', '/api/admin/users', { name: 'Somebody' });
  expect(made).toMatchObject({ status: 201, body: { id: expect.any(Number) } });
});

test.each([
  ['POST', '/api/admin/agent-keys'],
  ['GET', '/api/admin/agent-keys'],
  ['DELETE', '/api/admin/agent-keys/1'],
  ['POST', '/api/admin/users'],
])('%s %s is for admins only', async (method, path) => {
  const agent = await newAgent(corridor);
  for (const call of [corridor.anyone, corridor.as('wrong'), agent.call]) {
    expect(await call(method, path)).toMatchObject({ status: 403, body: { error: 'Admin key required' } });
  }
});

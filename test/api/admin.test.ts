import { describe, expect, test } from '@jest/globals';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ worker: false });

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
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      warning: expect.any(String),
    });
    const list = await corridor.admin('GET', '/api/admin/agent-keys');
    expect(list.status).toBe(200);
    expect(list.body).toContainEqual({
      id: made.body.id,
      name: 'shop',
      integrator_name: 'Shop Ltd',
      rate_limit: null,
      max_exposure_usd: 10_000,
      is_active: true,
      scopes: null,
      expires_at: null,
      allowed_ips: null,
      created_at: expect.any(String),
      last_used_at: null,
      last_used_address: null,
    });
    expect(JSON.stringify(list.body)).not.toContain(made.body.api_key);
  });

  test('can be created without a body', async () => {
    expect((await corridor.admin('POST', '/api/admin/agent-keys')).status).toBe(201);
  });

  test('are stored as a hash', async () => {
    const { key, keyId } = await corridor.newAgent();
    const rows = await corridor.db.query(
      'dump',
      'select agent_key::text as row from agent_key where id = $1',
      [keyId],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(key.slice('rk_live_'.length));
  });

  test('show when they were last used', async () => {
    const agent = await corridor.newAgent();
    await agent.call('GET', '/api/v1/status/1');
    const { body } = await corridor.admin('GET', '/api/admin/agent-keys');
    const listed = body.find(({ id }: { id: number }) => id === agent.keyId);
    expect(Date.parse(listed.last_used_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  test('stop working when they are deleted, and stay in the list', async () => {
    const agent = await corridor.newAgent();
    const deleted = await corridor.admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`);
    expect(deleted).toMatchObject({ status: 200, body: { ok: true } });
    expect((await agent.call('GET', '/api/v1/status/1')).status).toBe(403);
    const { body } = await corridor.admin('GET', '/api/admin/agent-keys');
    expect(body.find(({ id }: { id: number }) => id === agent.keyId).is_active).toBe(false);
  });

  test('that do not exist cannot be deleted', async () => {
    expect((await corridor.admin('DELETE', '/api/admin/agent-keys/999999')).status).toBe(404);
  });

  test('refuse an invalid name', async () => {
    const answer = await corridor.admin('POST', '/api/admin/agent-keys', { name: 7 });
    expect(answer).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
  });
});

describe('users', () => {
  const list = (query: string) => corridor.admin('GET', `/api/admin/users?${query}`);

  test('are created and listed by admins, newest first', async () => {
    const made = await corridor.admin('POST', '/api/admin/users', { name: 'Somebody' });
    expect(made).toMatchObject({ status: 201, body: { id: expect.any(Number) } });
    const unnamed = await corridor.admin('POST', '/api/admin/users', {});
    expect(await list('limit=2')).toMatchObject({
      status: 200,
      body: {
        users: [
          { id: unnamed.body.id, name: null, created_at: expect.any(String) },
          { id: made.body.id, name: 'Somebody', created_at: expect.any(String) },
        ],
      },
    });
  });

  test('are listed page by page, each once, while new ones are created', async () => {
    const made: number[] = [];
    const make = async () => made.push((await corridor.admin('POST', '/api/admin/users', {})).body.id);
    for (let i = 0; i < 5; i++) await make();
    const wanted = made.toReversed();
    const seen: number[] = [];
    for (let cursor = ''; seen.length < 5; ) {
      const { users, next_cursor } = (await list(`limit=2${cursor}`)).body;
      seen.push(...users.map(({ id }: { id: number }) => id));
      cursor = `&cursor=${next_cursor}`;
      await make();
    }
    expect(seen.slice(0, 5)).toEqual(wanted);
    const { users } = (await list('limit=100')).body;
    const oldest = users.at(-1).id;
    expect((await list(`cursor=${oldest}`)).body).toEqual({ users: [], next_cursor: null });
  });

  test.each(['limit=0', 'limit=101', 'limit=many', 'cursor=0', 'cursor=a'])(
    'refuse ?%s and name the field',
    async (query) => {
      const { status, body } = await list(query);
      expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, [query.split('=')[0]]]);
    },
  );
});

test.each([
  ['POST', '/api/admin/agent-keys'],
  ['GET', '/api/admin/agent-keys'],
  ['DELETE', '/api/admin/agent-keys/1'],
  ['POST', '/api/admin/agent-keys/1'],
  ['POST', '/api/admin/agent-keys/1/rotate'],
  ['POST', '/api/admin/users'],
  ['GET', '/api/admin/users'],
  ['GET', '/api/admin/lps'],
  ['POST', '/api/admin/lps/1/approve'],
  ['POST', '/api/admin/lps/1/suspend'],
  ['POST', '/api/admin/lps/1/tier'],
  ['GET', '/api/admin/orders'],
])('%s %s is for admins only', async (method, path) => {
  const agent = await corridor.newAgent();
  for (const call of [corridor.anyone, corridor.as('wrong')])
    expect(await call(method, path)).toMatchObject({ status: 403, body: { error: 'Admin key required' } });
  expect(await agent.call(method, path)).toMatchObject({
    ...{ status: 403, body: { error: expect.stringMatching(/^This is an agent’s key/) } },
  });
});

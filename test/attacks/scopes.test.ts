import { describe, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import { type AgentScope, SCOPES } from '../../src/domain/agent-scopes.ts';
import { businessTables } from '../support/dump.ts';
import {
  type DocumentedRoute,
  documentedRoutes,
  entryOf,
  neededOf,
  unusedNeeds,
} from '../support/route-table.ts';
import { useCorridor } from '../support/use-corridor.ts';

const issue = async (body: object): Promise<{ id: number; key: string; call: Call }> => {
  const { id, api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/agent-keys', body));
  return { id, key: api_key, call: corridor.as(api_key) };
};
const corridor = await useCorridor();
const routes = (await documentedRoutes(corridor.anyone)).filter(({ name }) => entryOf(name).kind === 'agent');
await corridor.newLp();
const agent = await corridor.newAgent();
const orderId = await agent.newOrder();
// Its jobs would change rows meanwhile.
await corridor.stopWorker();

const send = (call: Call, { name, example = {} }: DocumentedRoute) => {
  const [method = '', path = ''] = name.split(' ');
  return call(method, path.replace(/\{\w+\}/g, String(orderId)), method === 'POST' ? example : undefined);
};
const isRefused = async (call: Call, route: DocumentedRoute): Promise<boolean> => {
  const { status, headers } = await send(call, route);
  return status === 403 && headers.get('x-error-code') === 'scope_missing';
};

describe('a key with scopes', () => {
  test('opens the routes of its scopes, and is refused on all others, which change nothing', async () => {
    expect(unusedNeeds(routes, '/api/v1/')).toEqual([]);
    const before = substance(await businessTables(corridor.db));
    const wrong: unknown[] = [];
    const keys = new Map<AgentScope, Call>();
    for (const scope of SCOPES) keys.set(scope, (await issue({ scopes: [scope] })).call);
    for (const [scope, call] of keys)
      for (const route of routes.filter(({ name }) => ![scope, 'any'].includes(neededOf(name))))
        if (!(await isRefused(call, route))) wrong.push([route.name, scope]);
    expect(substance(await businessTables(corridor.db))).toEqual(before);
    for (const route of routes)
      for (const [scope, call] of keys)
        if ([scope, 'any'].includes(neededOf(route.name)) && (await isRefused(call, route)))
          wrong.push([route.name]);
    expect(wrong).toEqual([]);
  });
  /** Without the new keys themselves. */
  const substance = (tables: Record<string, string>) => {
    const { agent_key: _, agent_webhook_secret: __, audit_event: ___, ...rest } = tables;
    return rest;
  };

  test('names the scope that it lacks, and those that it has', async () => {
    const { call } = await issue({ scopes: ['read', 'webhooks'] });
    const { body } = await call('POST', `/api/v1/cancel/${orderId}`, {});
    expect(body.error).toBe('This API key lacks the scope cancel: it has read, webhooks');
  });

  test('sees only the public view of an order without the scope to read', async () => {
    const { id } = await issue({});
    await corridor.db.query('own-order', 'update orders set agent_key_id = $1 where id = $2', [id, orderId]);
    const { api_key } = await expectStatus(
      201,
      corridor.admin('POST', `/api/admin/agent-keys/${id}/rotate`, {}),
    );
    const view = () => expectStatus(200, corridor.as(api_key)('GET', `/api/orders/${orderId}`));
    expect(await view()).toHaveProperty('user_id');
    const limits = async (body: object) =>
      expectStatus(200, corridor.admin('POST', `/api/admin/agent-keys/${id}`, body));
    await limits({ scopes: ['pay'] });
    expect(await view()).not.toHaveProperty('user_id');
    await limits({ scopes: null, allowed_ips: ['192.0.2.0/24'] });
    expect(await view()).not.toHaveProperty('user_id');
  });

  test('gets and loses scopes with the next request; null means all', async () => {
    const { id, call } = await issue({ scopes: ['read'] });
    const change = (scopes: unknown) => corridor.admin('POST', `/api/admin/agent-keys/${id}`, { scopes });
    const rates = async () => (await call('POST', '/api/v1/rates', { amount: 1295, currency: 'KES' })).status;
    expect(await rates()).toBe(403);
    await expectStatus(200, change(null));
    expect(await rates()).toBe(201);
    await expectStatus(200, change(['webhooks']));
    expect(await rates()).toBe(403);
  });

  test.each([[[]], [['everything']], ['pay'], [['pay', 'PAY']]])(
    'cannot have the scopes %j',
    async (scopes) => {
      expect((await corridor.admin('POST', '/api/admin/agent-keys', { scopes })).status).toBe(400);
    },
  );
});

describe('a key', () => {
  const orders = (key: string) => corridor.as(key)('GET', '/api/v1/orders');

  test('is refused from its expiry on', async () => {
    const { id, key } = await issue({ expires_at: '2099-01-01' });
    const expire = `update agent_key set expires_at = now() - interval '1 second' where id = $1`;
    await corridor.db.query('t-expire-agent', expire, [id]);
    expect((await orders(key)).status).toBe(403);
    const past = { expires_at: '2020-01-01' };
    for (const path of ['/api/admin/agent-keys', `/api/admin/agent-keys/${id}`])
      expect((await corridor.admin('POST', path, past)).status).toBe(400);
    await expectStatus(
      200,
      corridor.admin('POST', `/api/admin/agent-keys/${id}`, { expires_at: '2099-01-01' }),
    );
    expect((await orders(key)).status).toBe(200);
  });

  test('is accepted only from its addresses', async () => {
    const { key } = await issue({ allowed_ips: ['192.0.2.0/24', '2001:db8::/32'] });
    const forged = { 'x-forwarded-for': '192.0.2.1' };
    const { status, headers } = await corridor.as(key)('GET', '/api/v1/orders', undefined, forged);
    expect([status, headers.get('x-error-code')]).toEqual([403, 'agent_address_refused']);
    const { key: here } = await issue({ allowed_ips: ['192.0.2.0/24', '127.0.0.1'] });
    expect((await orders(here)).status).toBe(200);
  });

  test('shows when and from where it was used last', async () => {
    const { id, key } = await issue({});
    await expectStatus(200, orders(key));
    const keys = await expectStatus(200, corridor.admin('GET', '/api/admin/agent-keys'));
    expect(keys.find((one: { id: number }) => one.id === id)).toMatchObject({
      last_used_address: '127.0.0.1',
      last_used_at: expect.any(String),
    });
  });
});

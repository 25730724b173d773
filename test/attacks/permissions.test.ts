import { describe, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import { mayDo, PERMISSIONS, type Permission, ROLES, type Role } from '../../src/domain/permissions.ts';
import { expireNow } from '../support/actors.ts';
import { signInWith } from '../support/console-session.ts';
import { ADMIN_KEY } from '../support/corridor.ts';
import { businessTables } from '../support/dump.ts';
import {
  type DocumentedRoute,
  documentedRoutes,
  entryOf,
  neededOf,
  unusedNeeds,
} from '../support/route-table.ts';
import { useCorridor } from '../support/use-corridor.ts';

const people = {} as Record<Role, { id: number; key: string; call: Call }>;

const add = async (body: object) => {
  const { id, api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', body));
  return { id, key: api_key, call: corridor.as(api_key) };
};

const corridor = await useCorridor();
for (const role of ROLES) people[role] = await add({ name: `A ${role}`, role });
const routes = (await documentedRoutes(corridor.anyone)).filter(({ name }) => entryOf(name).kind === 'admin');

/** Nothing has this id, so a request that is let through changes nothing either. */
const NOBODY = '999999999';
const send = (call: Call, { name, example = {} }: DocumentedRoute) => {
  const [method = '', path = ''] = name.split(' ');
  return call(method, path.replace(/\{\w+\}/g, NOBODY), method === 'POST' ? example : undefined);
};
const neededFor = ({ name }: DocumentedRoute) => neededOf(name) as Permission;

describe('every route of admins', () => {
  test('lets in exactly the roles that have its permission, and names the permission to the others', async () => {
    const wrong: unknown[] = [];
    for (const route of routes) {
      const needed = neededFor(route);
      for (const role of ROLES) {
        // A request that is let in may create something: an empty body is refused later than a missing permission.
        const { status, body, headers } = await send(people[role].call, { ...route, example: {} });
        const code = headers.get('x-error-code');
        const isRefused = status === 403 && code === 'permission_missing';
        if (isRefused === mayDo(role, needed)) wrong.push([route.name, role, status, code]);
        if (isRefused) expect(body.error).toContain(needed);
      }
    }
    expect(wrong).toEqual([]);
    expect(unusedNeeds(routes, '/api/admin/')).toEqual([]);
  });

  test('changes nothing for a role that lacks its permission', async () => {
    const before = substance(await businessTables(corridor.db));
    for (const route of routes)
      for (const role of ROLES)
        if (!mayDo(role, neededFor(route))) expect((await send(people[role].call, route)).status).toBe(403);
    expect(substance(await businessTables(corridor.db))).toEqual(before);
  });

  /** Without the record of refused attempts, and without the time at which a key was used last. */
  const substance = ({ audit_event: _, admin: __, ...rest }: Record<string, string>) => rest;
});

test('every permission belongs to the owner, and to no role that lacks read', () => {
  for (const permission of Object.keys(PERMISSIONS) as Permission[])
    expect(mayDo('owner', permission)).toBe(true);
  for (const role of ROLES) expect(mayDo(role, 'read')).toBe(true);
});

describe('a key', () => {
  const status = async (key: string) => (await corridor.as(key)('GET', '/api/admin/whoami')).status;
  const code = async (key: string) =>
    (await corridor.as(key)('GET', '/api/admin/whoami')).headers.get('x-error-code');
  const change = (id: number, body: object) =>
    expectStatus(200, corridor.admin('POST', `/api/admin/admins/${id}`, body));

  test('is shown once, and the list never has it', async () => {
    const { key, id } = await add({ name: 'Ann', role: 'viewer' });
    expect(key).toMatch(/^adm_live_[0-9a-f]{48}$/);
    const list = await expectStatus(200, corridor.admin('GET', '/api/admin/admins'));
    expect(list.admins.find((one: { id: number }) => one.id === id)).toMatchObject({
      name: 'Ann',
      role: 'viewer',
    });
    expect(JSON.stringify(list)).not.toContain(key);
    for (const table of ['admin', 'audit_event'])
      expect(JSON.stringify(await corridor.db.query(table, `select * from ${table}`, []))).not.toContain(key);
  });

  test('is refused once its admin is deactivated, for good', async () => {
    const { key, id } = await add({ name: 'Gone', role: 'owner' });
    expect(await status(key)).toBe(200);
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/admins/${id}`));
    expect(await status(key)).toBe(403);
    await expectStatus(404, corridor.admin('POST', `/api/admin/admins/${id}/rotate`, {}));
    await change(id, { expires_at: '2099-01-01' });
    expect(await status(key)).toBe(403);
  });

  test('is refused from its expiry on, and again accepted with a later one', async () => {
    const { key, id } = await add({ name: 'Temp', role: 'viewer', expires_at: '2099-01-01' });
    const expire = `update admin set expires_at = now() - interval '1 second' where id = $1`;
    await corridor.db.query('t-expire-admin', expire, [id]);
    expect(await code(key)).toBe('admin_key_invalid');
    await change(id, { expires_at: '2099-01-01' });
    expect(await status(key)).toBe(200);
  });

  test('was used when it was sent: the pages of the console read by themselves', async () => {
    const { key, id } = await add({ name: 'Seen', role: 'viewer' });
    const lastUse = async () => {
      const { admins } = await expectStatus(200, corridor.admin('GET', '/api/admin/admins'));
      return admins.find((admin: { id: number }) => admin.id === id);
    };
    expect(await lastUse()).toMatchObject({ last_used_at: null, last_used_address: null });
    const session = await signInWith(corridor, key);
    expect(await lastUse()).toMatchObject({
      last_used_at: expect.any(String),
      last_used_address: '127.0.0.1',
    });
    const forget = 'update admin set last_used_at = null, last_used_address = null where id = $1';
    await corridor.db.query('t-unused-admin', forget, [id]);
    await expectStatus(200, session.call('GET', '/api/admin/whoami'));
    expect(await lastUse()).toMatchObject({ last_used_at: null, last_used_address: null });
    expect(await status(key)).toBe(200);
    expect(await lastUse()).toMatchObject({ last_used_at: expect.any(String) });
  });

  test('cannot get an expiry in the past, neither a new one nor a changed one', async () => {
    const { id } = await add({ name: 'Late', role: 'viewer' });
    const body = { name: 'Past', role: 'viewer', expires_at: '2020-01-01' };
    const expires_at = ['must be in the future: to end a key now, deactivate it'];
    for (const path of ['/api/admin/admins', `/api/admin/admins/${id}`])
      expect(await corridor.admin('POST', path, body)).toMatchObject({
        ...{ status: 400, body: { error: { fieldErrors: { expires_at } } } },
      });
    const { admins } = await expectStatus(200, corridor.admin('GET', '/api/admin/admins'));
    expect(admins.map(({ name }: { name: string }) => name)).not.toContain('Past');
  });

  test('ends with a rotation without overlap, and lives as long as the overlap otherwise', async () => {
    const { key, id } = await add({ name: 'Rotated', role: 'viewer' });
    const rotate = (overlap: string) =>
      expectStatus(201, corridor.admin('POST', `/api/admin/admins/${id}/rotate`, { overlap }));
    const { api_key: second } = await rotate('1h');
    expect([await status(key), await status(second)]).toEqual([200, 200]);
    const { api_key: third } = await rotate('0s');
    expect([await status(key), await status(second), await status(third)]).toEqual([403, 403, 200]);
  });

  test('is replaced by its holder alone, and by nobody who has only a session or the key of the settings', async () => {
    const { key, id } = await add({ name: 'Handed over', role: 'viewer' });
    const path = '/api/admin/whoami/rotate';
    const session = await signInWith(corridor, key);
    for (const call of [session.call, corridor.admin])
      expect((await call('POST', path, { overlap: '0s' })).headers.get('x-error-code')).toBe('not_own_key');
    const own = await expectStatus(201, corridor.as(key)('POST', path, { overlap: '0s' }));
    expect(own).toMatchObject({ id, name: 'Handed over', role: 'viewer' });
    expect([await status(key), await status(own.api_key)]).toEqual([403, 200]);
    expect((await corridor.as(key)('POST', path, { overlap: '0s' })).status).toBe(403);
    expect((await session.call('GET', '/api/admin/whoami')).status).toBe(403);
    const { events } = await expectStatus(200, corridor.admin('GET', `/api/admin/audit?object=admin:${id}`));
    expect(events[0]).toMatchObject({ actor: `admin:${id}`, result: 'done' });
  });

  test('does not renew itself in its overlap, so that a person who has a copy of it loses access', async () => {
    const { key } = await add({ name: 'Copied', role: 'owner' });
    const rotate = (own: string, overlap: string) =>
      corridor.as(own)('POST', '/api/admin/whoami/rotate', { overlap });
    const { api_key: second } = await expectStatus(201, rotate(key, '1h'));
    const { api_key: third } = await expectStatus(201, rotate(second, '1h'));
    for (const copy of [key, second]) {
      expect(await status(copy)).toBe(200);
      expect((await rotate(copy, '0s')).headers.get('x-error-code')).toBe('not_own_key');
    }
    expect(await status(third)).toBe(200);
    // Of two at the same time, one wins.
    const both = await Promise.all([rotate(third, '1h'), rotate(third, '1h')]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test('is accepted only from its addresses, in every spelling of them', async () => {
    const here = ['127.0.0.0/8', '::1', '::ffff:127.0.0.1'];
    for (const address of here) {
      const { key } = await add({
        name: `Here, ${address}`,
        role: 'viewer',
        allowed_ips: ['192.0.2.7', address],
      });
      expect([address, await status(key)]).toEqual([address, address === '::1' ? 403 : 200]);
    }
    const { key } = await add({ name: 'Elsewhere', role: 'owner', allowed_ips: ['192.0.2.0/24'] });
    expect(await code(key)).toBe('admin_address_refused');
    // The header of a proxy counts only where one is configured.
    const forged = await corridor.as(key)('GET', '/api/admin/whoami', undefined, {
      'x-forwarded-for': '192.0.2.7',
      forwarded: 'for=192.0.2.7',
      'x-real-ip': '192.0.2.7',
    });
    expect(forged.status).toBe(403);
  });

  test.each([['not an address'], ['10.0.0.0/33'], ['10.0.0'], ['0x7f000001'], ['2001:db8::/129'], ['']])(
    'cannot be limited to %j',
    async (address) => {
      const body = { name: 'x', role: 'viewer', allowed_ips: [address] };
      expect((await corridor.admin('POST', '/api/admin/admins', body)).status).toBe(400);
    },
  );

  test('follows a change of the role with the next request', async () => {
    const { id, call } = await add({ name: 'Moved', role: 'support' });
    expect((await call('POST', '/api/admin/users', {})).status).toBe(201);
    await change(id, { role: 'viewer' });
    expect((await call('POST', '/api/admin/users', {})).status).toBe(403);
  });

  test('has a name of its own, in any case and at the same time, so that records name one person', async () => {
    const post = (name: string) => corridor.admin('POST', '/api/admin/admins', { name, role: 'viewer' });
    const answers = await Promise.all(['Nina', 'nina', 'NINA', 'Nina'].map(post));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const holder = answers.find(({ status }) => status === 201)?.body.id;
    const again = await post('nina ');
    expect([again.headers.get('x-error-code'), again.body.error]).toEqual([
      'name_taken',
      `Admin ${holder} is already named “nina”: write a name that no other active admin has`,
    ]);
    const { id } = await add({ name: 'Nadia', role: 'viewer' });
    expect((await corridor.admin('POST', `/api/admin/admins/${id}`, { name: 'NINA' })).status).toBe(409);
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/admins/${holder}`));
    expect((await corridor.admin('POST', `/api/admin/admins/${id}`, { name: 'NINA' })).status).toBe(200);
  });

  test('sent where another is needed is named by its form, and not by whether anybody has it', async () => {
    const agent = await corridor.newAgent();
    const [admin, forged] = [people.viewer.key, `adm_live_${'0'.repeat(48)}`];
    const answersTo = (keys: string[], path: string) =>
      Promise.all(
        keys.map(async (key) => {
          const { status, headers, body } = await corridor.as(key)('GET', path);
          return [status, headers.get('x-error-code'), body.error];
        }),
      );
    const named = 'This is an admin’s key, and an agent’s key is needed here (rk_live_…)';
    const refused = [403, 'agent_key_invalid', named];
    expect(await answersTo([admin, forged], '/api/v1/orders')).toEqual([refused, refused]);
    const agents = await answersTo([agent.key, `rk_live_${'0'.repeat(48)}`], '/api/admin/orders');
    expect(agents[0]).toEqual([403, 'admin_key_invalid', expect.stringMatching(/^This is an agent’s key,/)]);
    expect(agents[1]).toEqual(agents[0]);
  });

  test('of the settings is root: it opens everything, and no person can change it', async () => {
    expect(await expectStatus(200, corridor.admin('GET', '/api/admin/whoami'))).toMatchObject({
      id: null,
      name: 'root',
      role: 'owner',
    });
    expect(await status(ADMIN_KEY)).toBe(200);
  });

  test('of the settings is counted at each use, also by its session, for the alert', async () => {
    const { call } = people.viewer;
    const uses = async () =>
      Number(
        /^corridor_root_requests_total (\d+)$/m.exec(await expectStatus(200, call('GET', '/metrics')))?.[1],
      );
    const before = await uses();
    await expectStatus(200, call('GET', '/api/admin/whoami'));
    await expectStatus(403, corridor.as(`adm_live_${'0'.repeat(48)}`)('GET', '/api/admin/whoami'));
    expect(await uses()).toBe(before);
    await expectStatus(404, corridor.admin('GET', `/api/admin/orders/${NOBODY}`));
    const session = await signInWith(corridor, ADMIN_KEY);
    await expectStatus(200, session.call('GET', '/api/admin/whoami'));
    expect(await uses()).toBeGreaterThanOrEqual(before + 2);
  });
});

test('an admin is a stranger on a route for every caller, with a role or from an address that is refused', async () => {
  await corridor.newLp();
  const id = await (await corridor.newAgent()).newOrder();
  const attempt = (call: Call) => call('POST', `/sandbox/orders/${id}/advance`, {});
  const elsewhere = await add({ name: 'Elsewhere too', role: 'owner', allowed_ips: ['192.0.2.0/24'] });
  const asStranger = await attempt(corridor.anyone);
  expect(asStranger.status).toBe(404);
  for (const call of [people.viewer.call, people.treasurer.call, elsewhere.call])
    expect(await attempt(call)).toMatchObject({ status: 404, body: asStranger.body });
  expect(await corridor.anyone('GET', `/api/orders/${id}`)).toMatchObject({ body: { status: 'matched' } });
  expect((await elsewhere.call('GET', `/api/orders/${id}`)).body).not.toHaveProperty('user_id');
  await expectStatus(200, expireNow(people.support, id));
});

test('an admin opens no route of agents or LPs', async () => {
  const paths = ['/api/v1/orders', '/api/lp/lp_x/dashboard'];
  for (const path of paths) expect([401, 403]).toContain((await people.owner.call('GET', path)).status);
});

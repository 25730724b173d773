import { describe, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import { type SignedIn, signInWith } from '../support/console-session.ts';
import { ADMIN_KEY } from '../support/corridor.ts';
import { businessTables } from '../support/dump.ts';
import { useCorridor } from '../support/use-corridor.ts';

const PARTNER = 'https://partner.example';
const corridor = await useCorridor({
  worker: false,
  env: { CORS_ORIGINS: PARTNER, TRUST_PROXY_HOPS: '1' },
});
const { admin, anyone, as, config, db } = corridor;

interface Person {
  id: number;
  key: string;
  call: Call;
}
const person = async (name: string, role: string, more = {}): Promise<Person> => {
  const made = await expectStatus(201, admin('POST', '/api/admin/admins', { name, role, ...more }));
  return { id: made.id, key: made.api_key, call: as(made.api_key) };
};
const suspend = (session: Pick<SignedIn, 'call'>, headers = {}) =>
  session.call('POST', `/api/admin/lps/${lp.id}/suspend`, {}, headers);
const code = async (answer: ReturnType<Call>) => (await answer).headers.get('x-error-code');

const lp = await corridor.newLp();

describe('a session', () => {
  test('opens exactly the routes of the key, without the key, and names its owner', async () => {
    const ann = await person('Ann', 'risk');
    const agent = await corridor.newAgent();
    const [asAnn, asLp, asAgent, asRoot] = await Promise.all(
      [ann.key, lp.key, agent.key, ADMIN_KEY].map((key) => signInWith(corridor, key)),
    );
    const whoami = async (session = asAnn) =>
      (await expectStatus(200, (session as SignedIn).call('GET', '/api/console/session'))).caller;
    expect(await whoami()).toMatchObject({ kind: 'admin', id: ann.id, name: 'Ann', role: 'risk' });
    expect((await whoami()).permissions).toEqual(['read', 'lps:manage', 'pauses:manage']);
    expect(await whoami(asLp)).toMatchObject({ kind: 'lp', id: lp.id });
    expect(await whoami(asAgent)).toMatchObject({ kind: 'agent', id: agent.keyId });
    expect(await whoami(asRoot)).toMatchObject({ kind: 'admin', id: null, name: 'root', role: 'owner' });

    const statuses = async (path: string) =>
      Promise.all([asAnn, asLp, asAgent, asRoot].map(async (one) => (await one?.call('GET', path))?.status));
    expect(await statuses('/api/admin/lps')).toEqual([200, 403, 403, 200]);
    expect(await statuses('/api/lp/me/dashboard')).toEqual([401, 200, 401, 401]);
    expect(await statuses('/api/v1/orders')).toEqual([403, 403, 200, 403]);
    expect(await statuses(`/api/lp/${lp.key}/dashboard`)).toEqual([401, 401, 401, 401]);
    expect((await lp.call('GET', '/api/lp/me/dashboard')).status).toBe(401);
    expect(await code((asAnn as SignedIn).call('POST', '/api/admin/users', {}))).toBe('permission_missing');
  });

  test('is in a cookie that no script and no other site can use', async () => {
    const { headers } = await as(lp.key)('POST', '/api/console/session');
    expect(headers.get('set-cookie')).toMatch(
      /^corridor_session=[0-9a-f]{64}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
  });

  test('names its admin in the audit: what they change, and when they sign in and out', async () => {
    const eve = await person('Eve', 'owner');
    const session = await signInWith(corridor, eve.key, { 'user-agent': 'Browser/1' });
    await expectStatus(200, suspend(session));
    await expectStatus(200, session.call('POST', `/api/admin/lps/${lp.id}/approve`, {}));
    await expectStatus(200, session.call('DELETE', '/api/console/session'));
    const path = `/api/admin/audit?actor=admin:${eve.id}`;
    const { events } = await expectStatus(200, admin('GET', path));
    expect(events).toMatchObject([
      { action: 'DELETE /api/console/session', actor_name: 'Eve', before: { ended_at: null } },
      { action: 'POST /api/admin/lps/:id/approve', actor_name: 'Eve' },
      { action: 'POST /api/admin/lps/:id/suspend', actor_name: 'Eve', role: 'owner' },
      {
        action: 'POST /api/console/session',
        address: '127.0.0.1',
        after: { kind: 'admin', principal_id: eve.id, user_agent: 'Browser/1', key_hash: '…' },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(session.token);
  });
});

describe('a page of another site', () => {
  test('cannot change anything with the cookie that a browser adds: it does not know the CSRF token', async () => {
    const session = await signInWith(corridor, ADMIN_KEY);
    const other = await signInWith(corridor, ADMIN_KEY);
    const before = await businessTables(db);
    for (const token of ['', session.token, other.csrf, session.csrf.slice(1), `${session.csrf}0`]) {
      const answer = await suspend(session, { 'x-csrf-token': token });
      expect([token, answer.status]).toEqual([token, 403]);
      expect(answer.body.error).toContain('X-CSRF-Token');
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await session.bare('POST', `/api/admin/lps/${lp.id}/suspend`, 'a=b', form)).status).toBe(403);
    expect(await businessTables(db)).toEqual(before);
  });

  test.each([
    ['a stranger', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['an older browser', { origin: 'https://evil.example', 'sec-fetch-site': '' }],
    ['a sister host', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['an origin in CORS_ORIGINS', { origin: PARTNER, 'sec-fetch-site': 'cross-site' }],
    ['an origin in CORS_ORIGINS, in an older browser', { origin: PARTNER }],
    ['a page without Origin', { 'sec-fetch-site': 'cross-site', origin: '' }],
  ])('(%s) is not served with the cookie, even with the CSRF token', async (_, given) => {
    const session = await signInWith(corridor, ADMIN_KEY);
    const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
    const before = await businessTables(db);
    const right = { ...headers, 'x-csrf-token': session.csrf };
    expect((await session.bare('POST', `/api/admin/lps/${lp.id}/suspend`, {}, right)).status).toBe(403);
    const read = await session.bare('GET', '/api/admin/lps', undefined, right);
    expect([read.status, read.headers.get('access-control-allow-credentials')]).toEqual([403, null]);
    expect((await session.bare('GET', '/api/console/session', undefined, headers)).status).toBe(401);
    expect((await session.bare('DELETE', '/api/console/session', undefined, right)).status).toBe(401);
    expect(await businessTables(db)).toEqual(before);
    expect(await session.isOpen()).toBe(true);
  });
});

describe('a browser', () => {
  test('that was given a session by somebody else gets a new one at the sign-in', async () => {
    const attacker = await signInWith(corridor, lp.key);
    const victim = await signInWith(corridor, ADMIN_KEY, { cookie: attacker.cookie });
    expect(victim.token).not.toBe(attacker.token);
    expect(await attacker.isOpen()).toBe(false);
    for (const token of ['0'.repeat(64), 'made-up', `${victim.token}0`, victim.token.toUpperCase()]) {
      const cookie = `corridor_session=${token}`;
      const made = await as(lp.key)('POST', '/api/console/session', undefined, { cookie });
      expect(made.headers.get('set-cookie')).not.toContain(token);
      expect((await anyone('GET', '/api/console/session', undefined, { cookie })).status).toBe(401);
    }
  });

  test('with two session cookies is not signed in: another host has added one', async () => {
    const [own, foreign] = [await signInWith(corridor, lp.key), await signInWith(corridor, ADMIN_KEY)];
    const cookie = `${own.cookie}; ${foreign.cookie}`;
    expect((await anyone('GET', '/api/console/session', undefined, { cookie })).status).toBe(401);
  });

  test('cannot open a session with a session', async () => {
    const session = await signInWith(corridor, lp.key);
    expect(await code(session.call('POST', '/api/console/session'))).toBe('session_required');
    expect(await session.isOpen()).toBe(true);
  });
});

test('over https the cookie is for this host and https alone, and no other cookie is accepted', async () => {
  const https = { 'x-forwarded-proto': 'https' };
  const host = config.publicUrl.replace('http:', '');
  const { headers } = await as(ADMIN_KEY)('POST', '/api/console/session', undefined, https);
  expect(headers.get('set-cookie')).toMatch(
    /^__Host-corridor_session=[0-9a-f]{64}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
  );
  const [cookie = ''] = String(headers.get('set-cookie')).split(';');
  const read = async (sent: string, origin: string) =>
    (await anyone('GET', '/api/admin/lps', undefined, { ...https, cookie: sent, origin })).status;
  expect(await read(cookie, `https:${host}`)).toBe(200);
  expect(await read(cookie, `https:${host}0`)).toBe(403);
  expect(await read(cookie.replace('__Host-', ''), `https:${host}`)).toBe(403);
});

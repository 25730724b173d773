import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { freePort } from '../../src/process/free-port.ts';
import { startCorridor } from '../support/corridor.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { createWalker, type Walker } from '../support/sign-in-walk.ts';
import { useCorridor } from '../support/use-corridor.ts';

const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const provider = await startIdentityProvider(`${base}/auth/oidc/callback`);
afterAll(() => provider.close());
const corridor = await useCorridor({ worker: false, env: { PORT: String(port), ...provider.env } });
const { admin, anyone, config } = corridor;
const START = `${base}/auth/oidc/start`;

const person = (login: string, ...groups: string[]) =>
  provider.people.set(login, { name: `${login} N.`, groups });
const callbackOf = (walker: Walker, login: string) => walker.untilCallback(START, login);
/** Signs in, and returns the response to the callback. */
const signInAs = async (login: string, walker = createWalker()) => {
  const response = await walker.open(await callbackOf(walker, login));
  return { walker, response, page: await response.text() };
};
const whoami = async ({ cookies }: Walker) => {
  const cookie = `corridor_session=${cookies.get('corridor_session')}`;
  const { body } = await anyone('GET', '/api/console/session', undefined, { cookie });
  return body.caller;
};
const admins = async () => (await expectStatus(200, admin('GET', '/api/admin/admins'))).admins;
const expectRefused = async (response: Response, walker: Walker, status = 400) => {
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'text/html; charset=utf-8',
  ]);
  expect(walker.cookies.has('corridor_session')).toBe(false);
};

describe('a person of the identity provider', () => {
  test('is signed in with the role of their groups, and the audit names the provider and the person', async () => {
    person('ada', 'staff', 'night-shift', 'auditors');
    const { walker, response } = await signInAs('ada');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console']);
    const { id, ...caller } = await whoami(walker);
    expect(caller).toMatchObject({ kind: 'admin', name: 'ada N.', role: 'support' });
    const events = (await expectStatus(200, admin('GET', '/api/admin/audit?limit=2'))).events;
    expect(events).toMatchObject([
      {
        actor: `admin:${id}`,
        actor_name: 'ada N.',
        action: 'GET /auth/oidc/callback',
        after: { kind: 'admin' },
      },
      { actor: 'oidc', object: `admin:${id}`, after: { role: 'support', oidc_subject: 'ada' } },
    ]);
    // The sign-in is the last use: what the session's pages read is none.
    expect((await admins()).find((one: { id: number }) => one.id === id)).toMatchObject({
      last_used_at: expect.any(String),
      last_used_address: '127.0.0.1',
    });
  });

  test('has the role of their new groups from the next sign-in on, and stays the same admin', async () => {
    person('ben', 'auditors');
    const { walker } = await signInAs('ben');
    const before = await whoami(walker);
    person('ben', 'leads');
    expect(await whoami(walker)).toEqual(before);
    const again = await whoami((await signInAs('ben')).walker);
    expect([again.id, again.role]).toEqual([before.id, 'owner']);
    // The role is that of the person, in every session.
    expect((await whoami(walker)).role).toBe('owner');
  });

  test('without a group that has a role is refused, and loses the sessions of before', async () => {
    person('eve', 'staff');
    const before = await admins();
    const { walker, response, page } = await signInAs('eve');
    await expectRefused(response, walker, 403);
    expect(page).toContain('none of your groups has a role');
    expect(await admins()).toEqual(before);

    person('eve', 'leads');
    const inside = (await signInAs('eve')).walker;
    expect((await whoami(inside)).role).toBe('owner');
    person('eve', 'staff');
    await expectRefused((await signInAs('eve')).response, walker, 403);
    expect(await whoami(inside)).toBeUndefined();
    const [event] = (await expectStatus(200, admin('GET', '/api/admin/audit?limit=20'))).events.filter(
      ({ result }: { result: string }) => result === 'no_role',
    );
    expect(event).toMatchObject({ actor: 'oidc', actor_name: 'eve N.' });
  });

  test('stays out once an owner has deactivated them', async () => {
    person('mal', 'leads');
    const { walker } = await signInAs('mal');
    const { id } = await whoami(walker);
    await expectStatus(200, admin('DELETE', `/api/admin/admins/${id}`));
    expect(await whoami(walker)).toBeUndefined();
    // The provider changes nothing about them either.
    person('mal', 'auditors');
    const again = await signInAs('mal');
    await expectRefused(again.response, again.walker, 403);
    expect((await admins()).find((one: { id: number }) => one.id === id)).toMatchObject({
      ...{ name: 'mal N.', role: 'owner', is_active: false, identity_provider: provider.issuer },
    });
  });

  test('with a name of markup is shown as text', async () => {
    provider.people.set('xss', { name: '<script>alert(1)</script>', groups: [] });
    expect((await signInAs('xss')).page).toContain('&lt;script&gt;');
  });
});

describe('the callback', () => {
  beforeAll(() => void person('ada', 'leads'));

  const changed = (url: string, change: (query: URLSearchParams) => void): string => {
    const copy = new URL(url);
    change(copy.searchParams);
    return copy.href;
  };

  test('works once', async () => {
    const walker = createWalker();
    const url = await callbackOf(walker, 'ada');
    const cookies = [...walker.cookies];
    expect((await walker.open(url)).status).toBe(302);
    const replay = createWalker();
    for (const [name, value] of cookies) replay.cookies.set(name, value);
    await expectRefused(await replay.open(url), replay);
  });

  test('of another browser, or of nobody, is refused: somebody could be signed in as the attacker', async () => {
    const attacker = createWalker();
    const url = await callbackOf(attacker, 'ada');
    const victim = createWalker();
    await expectRefused(await victim.open(url), victim);
    const own = await callbackOf(victim, 'ada');
    await expectRefused(await victim.open(url), victim);
    // The attack does not end the sign-in that is under way.
    expect((await victim.open(own)).status).toBe(302);
  });

  test.each<[string, (query: URLSearchParams) => void]>([
    ['without a state', (query) => query.delete('state')],
    ['with another state', (query) => query.set('state', 'x')],
    ['with a made-up code', (query) => query.set('code', 'x')],
    ['without a code', (query) => query.delete('code')],
    ['of another issuer', (query) => query.set('iss', 'https://evil.example')],
    ['with an error of the provider', (query) => query.set('error', 'access_denied')],
  ])('%s is refused', async (_, change) => {
    const walker = createWalker();
    await expectRefused(await walker.open(changed(await callbackOf(walker, 'ada'), change)), walker);
  });

  test('refuses an ID token that was issued for another sign-in: wrong nonce, or wrong PKCE verifier', async () => {
    for (const [name, value] of [
      ['nonce', 'of-another-sign-in'],
      ['code_challenge', 'x'.repeat(43)],
    ] as const) {
      const walker = createWalker();
      const start = String((await walker.open(START)).headers.get('location'));
      const url = await walker.untilCallback(
        changed(start, (query) => query.set(name, value)),
        'ada',
      );
      await expectRefused(await walker.open(url), walker);
    }
  });

  test('is refused ten minutes after its start', async () => {
    const walker = createWalker();
    const url = await callbackOf(walker, 'ada');
    await corridor.db.query('t-late', `update oidc_sign_in set expires_at = now()`, []);
    await expectRefused(await walker.open(url), walker);
  });
});

test('the start names what the provider must check, in a cookie for this browser alone', async () => {
  const { headers } = await createWalker().open(START);
  const query = new URL(String(headers.get('location'))).searchParams;
  expect(Object.fromEntries(query)).toMatchObject({
    ...{ response_type: 'code', code_challenge_method: 'S256', client_id: 'corridor' },
    redirect_uri: `${config.publicUrl}/auth/oidc/callback`,
  });
  for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)).toHaveLength(43);
  expect(headers.get('set-cookie')).toMatch(/^corridor_oidc=[0-9a-f]{64}; .*HttpOnly; SameSite=Lax$/);
});

test('while the provider is away, a page says so, and keys still work', async () => {
  const env = { ...provider.env, OIDC_ISSUER: 'http://127.0.0.1:1' };
  const other = await startCorridor({ worker: false, databaseUrl: corridor.databaseUrl, env });
  try {
    const walker = createWalker();
    const response = await walker.open(`${other.config.publicUrl}/auth/oidc/start`);
    await expectRefused(response, walker, 502);
    expect(await response.text()).toContain('The identity provider cannot be reached.');
    expect((await other.admin('POST', '/api/console/session')).status).toBe(201);
  } finally {
    await other.stop();
  }
});

test('without an identity provider in the settings there are no such pages', async () => {
  const plain = await startCorridor({ worker: false, databaseUrl: corridor.databaseUrl });
  try {
    const methods = await expectStatus(200, plain.anyone('GET', '/api/console/sign-in-methods'));
    expect(methods).toMatchObject({ key: true, identity_provider: null });
    for (const path of ['/auth/oidc/start', '/auth/oidc/callback'])
      expect((await plain.anyone('GET', path)).status).toBe(404);
  } finally {
    await plain.stop();
  }
});

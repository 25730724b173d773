import { describe, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import { type SignedIn, signInWith } from '../support/console-session.ts';
import { ADMIN_KEY, startCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { connectFeed, type FeedClient } from '../support/feed-client.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ worker: false, env: { TRUST_PROXY_HOPS: '1' } });
const { admin, as, config, db } = corridor;

const lp = await corridor.newLp();

let people = 0;
const person = async (more = {}): Promise<{ id: number; key: string; call: Call }> => {
  const body = { name: `Ann ${++people}`, role: 'support', ...more };
  const made = await expectStatus(201, admin('POST', '/api/admin/admins', body));
  return { id: made.id, key: made.api_key, call: as(made.api_key) };
};
/** Moves a time of a session's row into the past. */
const age = ({ token }: SignedIn, column: string, by: string) =>
  db.query(
    `t-age-${column}`,
    `update session set ${column} = ${column} - $2::interval where token_hash = sha256(convert_to($1, 'UTF8'))`,
    [token, by],
  );
const lastUse = async ({ token }: SignedIn): Promise<string> => {
  const sql = `select last_used_at::text as at from session where token_hash = sha256(convert_to($1, 'UTF8'))`;
  return (await db.query<{ at: string }>('t-last-use', sql, [token]))[0]?.at ?? '';
};

describe('a session ends', () => {
  test('when it was not used for 30 minutes; its use keeps it open, and a request of the page alone does not', async () => {
    const session = await signInWith(corridor, ADMIN_KEY);
    await age(session, 'last_used_at', '29 minutes');
    const unattended = { 'x-unattended': 'true' };
    const before = await lastUse(session);
    expect((await session.bare('GET', '/api/admin/lps', undefined, unattended)).status).toBe(200);
    expect(await lastUse(session)).toBe(before);
    expect(await session.isOpen()).toBe(true);
    expect(await lastUse(session)).not.toBe(before);
    await age(session, 'last_used_at', '30 minutes');
    const ended = await session.call('GET', '/api/admin/lps');
    expect([ended.status, ended.body.error]).toEqual([403, 'Your session has ended: sign in again']);
    expect(await session.isOpen()).toBe(false);
  });

  test('12 hours after the sign-in, however often it is used', async () => {
    const session = await signInWith(corridor, ADMIN_KEY);
    await age(session, 'expires_at', '11 hours 59 minutes');
    expect(await session.isOpen()).toBe(true);
    await age(session, 'expires_at', '1 minute');
    expect(await session.isOpen()).toBe(false);
  });

  test('at the sign-out, and only this one', async () => {
    const [session, other] = [await signInWith(corridor, lp.key), await signInWith(corridor, lp.key)];
    const out = await session.call('DELETE', '/api/console/session');
    expect([out.status, out.body]).toEqual([200, { ok: true, ended: 1 }]);
    expect(out.headers.get('set-cookie')).toMatch(/^corridor_session=; Path=\/; Max-Age=0; /);
    expect([await session.isOpen(), await other.isOpen()]).toEqual([false, true]);
    // A key has no session of its own to end.
    expect((await lp.call('DELETE', '/api/console/session')).status).toBe(401);
  });

  test('everywhere with “Sign out everywhere”, and nobody else’s', async () => {
    const [ann, ben] = [await person(), await person()];
    const keys = [ann.key, ann.key, ann.key, ben.key, ADMIN_KEY, lp.key];
    const sessions = await Promise.all(keys.map((key) => signInWith(corridor, key)));
    const isOpen = () => Promise.all(sessions.map((session) => session.isOpen()));
    const all = await expectStatus(200, (sessions[0] as SignedIn).call('DELETE', '/api/console/sessions'));
    expect(all.ended).toBe(3);
    expect(await isOpen()).toEqual([false, false, false, true, true, true]);
    await expectStatus(200, lp.call('DELETE', '/api/console/sessions'));
    await expectStatus(200, admin('DELETE', '/api/console/sessions'));
    expect(await isOpen()).toEqual([false, false, false, true, false, false]);
  });

  test('one by its id, and nobody else’s', async () => {
    const [ann, ben, other] = [await person(), await person(), await corridor.newLp()];
    const keys = [ann.key, ann.key, ben.key, ADMIN_KEY, other.key];
    const sessions = await Promise.all(keys.map((key) => signInWith(corridor, key)));
    const isOpen = () => Promise.all(sessions.map((session) => session.isOpen()));
    const listed = async (session?: SignedIn) =>
      (await expectStatus(200, (session?.bare ?? ann.call)('GET', '/api/console/sessions'))).sessions;
    const lists = await Promise.all(sessions.map(listed));
    expect(lists.map((list) => list.filter((one: { is_current: boolean }) => one.is_current).length)).toEqual(
      Array(5).fill(1),
    );
    const idOf = (index: number): number =>
      lists[index].find((one: { is_current: boolean }) => one.is_current).id;
    expect(lists[0].map(({ id }: { id: number }) => id).sort()).toEqual([idOf(0), idOf(1)].sort());
    expect(lists[2].map(({ id }: { id: number }) => id)).toEqual([idOf(2)]);
    expect(lists[4]).toEqual([
      {
        ...{ id: idOf(4), created_at: expect.any(String), last_used_at: expect.any(String) },
        ...{ address: '127.0.0.1', user_agent: expect.any(String), is_current: true },
      },
    ]);
    // The LP and the agent with the same number are other owners.
    const agent = await corridor.newAgent();
    for (const call of [ben.call, other.call, agent.call, corridor.admin, (sessions[2] as SignedIn).call]) {
      const refused = await call('DELETE', `/api/console/sessions/${idOf(0)}`);
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([404, 'not_found']);
    }
    // Another site cannot make the browser end it.
    expect((await (sessions[0] as SignedIn).bare('DELETE', `/api/console/sessions/${idOf(0)}`)).status).toBe(
      401,
    );
    expect(await isOpen()).toEqual([true, true, true, true, true]);
    const end = (call: Call, id: number) => call('DELETE', `/api/console/sessions/${id}`);
    const ended = await end((sessions[0] as SignedIn).call, idOf(1));
    expect([ended.status, ended.body, ended.headers.get('set-cookie')]).toEqual([
      ...[200, { ok: true, ended: 1 }, null],
    ]);
    expect((await end(ann.call, idOf(1))).status).toBe(404);
    const own = await end((sessions[0] as SignedIn).call, idOf(0));
    expect(own.headers.get('set-cookie')).toMatch(/^corridor_session=; Path=\/; Max-Age=0; /);
    expect(await isOpen()).toEqual([false, false, true, true, true]);
    expect(await listed()).toEqual([]);
  });

  test('with the key: a rotation without an overlap ends it at once, one with an overlap at its end', async () => {
    const ann = await person();
    const agent = await corridor.newAgent();
    const other = await corridor.newLp();
    const keys = [ann.key, agent.key, other.key];
    const sessions = await Promise.all(keys.map((key) => signInWith(corridor, key)));
    const isOpen = () => Promise.all(sessions.map((session) => session.isOpen()));
    const rotateAll = async (overlap: unknown) => {
      await expectStatus(201, admin('POST', `/api/admin/admins/${ann.id}/rotate`, { overlap }));
      await expectStatus(201, admin('POST', `/api/admin/agent-keys/${agent.keyId}/rotate`, { overlap }));
      await expectStatus(201, admin('POST', `/api/admin/lps/${other.id}/rotate`, { overlap }));
    };
    await rotateAll('1h');
    expect(await isOpen()).toEqual([true, true, true]);
    await rotateAll(0);
    // The key before the last one is as valid as the overlap said, for both.
    for (const table of ['admin', 'agent_key', 'lp'])
      await db.query(`t-overlap-${table}`, `update ${table} set older_expires_at = now()`, []);
    expect(await isOpen()).toEqual([false, false, false]);
  });

  test('of the root key with that key', async () => {
    const session = await signInWith(corridor, ADMIN_KEY);
    const { secrets } = corridor.shared;
    const before = secrets.adminApiKey;
    try {
      Object.assign(secrets, { adminApiKey: 'another-admin-key-entirely', secondAdminApiKey: before });
      expect(await session.isOpen()).toBe(true);
      Object.assign(secrets, { secondAdminApiKey: undefined });
      expect(await session.isOpen()).toBe(false);
    } finally {
      Object.assign(secrets, { adminApiKey: before, secondAdminApiKey: undefined });
    }
  });

  test('when the admin is deactivated or expires, or the agent’s key is', async () => {
    const [gone, late, agent] = [await person(), await person(), await corridor.newAgent()];
    const keys = [gone.key, late.key, agent.key];
    const sessions = await Promise.all(keys.map((key) => signInWith(corridor, key)));
    await expectStatus(200, admin('DELETE', `/api/admin/admins/${gone.id}`));
    const expires_at = new Date(Date.now() - 1_000).toISOString();
    await db.query('t-expire-admin', 'update admin set expires_at = $2 where id = $1', [late.id, expires_at]);
    await expectStatus(200, admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`));
    expect(await Promise.all(sessions.map((session) => session.isOpen()))).toEqual([false, false, false]);
  });

  test('for an address that the key does not allow, and has the role that its admin has now', async () => {
    const ann = await person({ allowed_ips: ['10.0.0.0/8'] });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const session = await signInWith(corridor, ann.key, from('10.1.2.3'));
    const read = async (address: string) =>
      (await session.bare('GET', '/api/admin/lps', undefined, from(address))).headers.get('x-error-code');
    expect([await read('10.9.9.9'), await read('11.1.1.1')]).toEqual([null, 'admin_address_refused']);
    for (const route of [
      ...['POST session', 'GET session', 'DELETE session'],
      ...['GET sessions', 'DELETE sessions', 'DELETE sessions/1'],
    ]) {
      const [method = '', path] = route.split(' ');
      const refused = await as(ann.key)(method, `/api/console/${path}`, undefined, from('11.1.1.1'));
      expect([route, refused.headers.get('x-error-code')]).toEqual([route, 'admin_address_refused']);
    }

    const create = () => session.call('POST', '/api/admin/users', {}, from('10.1.2.3'));
    expect((await create()).status).toBe(201);
    await expectStatus(200, admin('POST', `/api/admin/admins/${ann.id}`, { role: 'viewer' }));
    expect((await create()).status).toBe(403);
  });
});

describe('the order feed', () => {
  const connect = (session: SignedIn, origin: string | null = config.publicUrl) =>
    connectFeed(config.publicUrl, {
      headers: { cookie: session.cookie, ...(origin === null ? {} : { origin }) },
    });
  const isClosed = ({ socket }: FeedClient) => eventuallyEquals(async () => socket.readyState, socket.CLOSED);
  const REFUSED = { status: 401, body: { error: 'Unauthorized' } };

  test('opens for a signed-in LP, and only from a page of this service', async () => {
    const session = await signInWith(corridor, lp.key);
    const feed = await connect(session);
    await feed.next('snapshot');
    await feed.close();
    for (const origin of ['https://evil.example', 'null'])
      await expect(connect(session, origin)).rejects.toMatchObject({ status: 403 });
    await expect(connect(session, null)).rejects.toEqual(REFUSED);
    await expect(connect(await signInWith(corridor, ADMIN_KEY))).rejects.toEqual(REFUSED);
    await session.call('DELETE', '/api/console/session');
    await expect(connect(session)).rejects.toEqual(REFUSED);
  });

  test('closes when the session ends, and stays open for others', async () => {
    const [session, other] = [await signInWith(corridor, lp.key), await signInWith(corridor, lp.key)];
    const [feed, kept] = [await connect(session), await connect(other)];
    await session.call('DELETE', '/api/console/session');
    await isClosed(feed);
    expect(await feed.closed).toBe(1008);
    expect(kept.socket.readyState).toBe(kept.socket.OPEN);
    await expectStatus(201, admin('POST', `/api/admin/lps/${lp.id}/rotate`, { overlap: 0 }));
    await isClosed(kept);
    // The key has ended, and with it the session.
    expect(await kept.closed).toBe(4401);
  });
});

test('wrong keys at the sign-in count towards the limit of wrong keys, and a missing one does not', async () => {
  const env = { AUTH_FAILURE_LIMIT: '3', TRUST_PROXY_HOPS: '1' };
  const strict = await startCorridor({ worker: false, databaseUrl: corridor.databaseUrl, env });
  try {
    const from = { 'x-forwarded-for': '192.0.2.7' };
    const tried = async (key?: string) =>
      (await (key ? strict.as(key) : strict.anyone)('POST', '/api/console/session', undefined, from)).status;
    for (let i = 0; i < 5; i++) expect(await tried()).toBe(401);
    for (let i = 0; i < 3; i++) expect(await tried('lp_wrong')).toBe(401);
    // The right key is refused as well, so that a response never says which one it was.
    expect([await tried('lp_wrong'), await tried(ADMIN_KEY)]).toEqual([429, 429]);
  } finally {
    await strict.stop();
  }
});

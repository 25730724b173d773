import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import { verifyChain } from '../../src/db/audit/verify-chain.ts';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { adminDoes } from '../support/actors.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { unanswered } from '../support/unanswered.ts';
import { useCorridor } from '../support/use-corridor.ts';

const person = async (name: string, role: string): Promise<Call> =>
  corridor.as((await expectStatus(201, corridor.admin('POST', '/api/admin/admins', { name, role }))).api_key);

const corridor = await useCorridor();
const ann = await person('Ann', 'owner');
const bob = await person('Bob', 'risk');

const eventsOf = async (filters: Record<string, string>) =>
  (
    await expectStatus(
      200,
      ann('GET', `/api/admin/audit?${new URLSearchParams({ limit: '100', ...filters })}`),
    )
  ).events;

test('a filter takes a kind in any case, and refuses what names no kind and id', async () => {
  const lp = await corridor.newLp();
  await expectStatus(200, bob('POST', `/api/admin/lps/${lp.id}/suspend`));
  const events = await eventsOf({ object: `lp:${lp.id}` });
  expect(events).not.toEqual([]);
  expect(await eventsOf({ object: ` LP:${lp.id}` })).toEqual(events);
  expect(await eventsOf({ actor: 'Admin:2', object: `lp:${lp.id}` })).toMatchObject([{ actor_name: 'Bob' }]);
  for (const [field, given] of [
    ['object', 'LP 7'],
    ['object', '7'],
    ['actor', 'Bob'],
    ['actor', 'admin:Bob'],
  ] as const)
    expect(await ann('GET', `/api/admin/audit?${new URLSearchParams({ [field]: given })}`)).toMatchObject({
      status: 400,
      body: {
        error: { fieldErrors: { [field]: [expect.stringMatching(/^must be a kind and an id, such as/)] } },
      },
    });
});

describe('a change', () => {
  test('has the name, the role, the address and the request of who made it, and both states', async () => {
    const lp = await corridor.newLp();
    const done = await bob('POST', `/api/admin/lps/${lp.id}/suspend`, undefined, {
      'x-request-id': 'suspend-0001',
    });
    expect(done.status).toBe(200);
    expect(await eventsOf({ request_id: 'suspend-0001' })).toEqual([
      {
        id: expect.any(Number),
        at: expect.any(String),
        actor: 'admin:2',
        actor_name: 'Bob',
        role: 'risk',
        address: '127.0.0.1',
        request_id: 'suspend-0001',
        action: 'POST /api/admin/lps/:id/suspend',
        object: `lp:${lp.id}`,
        result: 'done',
        before: { status: 'approved' },
        after: { status: 'suspended' },
        reason: null,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  test('has the reason with which an admin ends an access, and no later change has that reason', async () => {
    const lp = await corridor.newLp();
    const { id: key } = await expectStatus(
      201,
      corridor.admin('POST', '/api/admin/agent-keys', { name: 'why' }),
    );
    const admin = { name: 'Leaver', role: 'viewer' };
    const { id: leaver } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', admin));
    const reason = 'Its phone was stolen';
    const query = new URLSearchParams({ reason });
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/suspend`, { reason }));
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${key}?${query}`));
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/admins/${leaver}?${query}`));
    for (const object of [`lp:${lp.id}`, `agent_key:${key}`, `admin:${leaver}`])
      expect((await eventsOf({ object }))[0]).toMatchObject({ actor: 'admin:root', reason });
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/approve`));
    expect((await eventsOf({ object: `lp:${lp.id}` }))[0]).toMatchObject({ reason: null });
    for (const unclear of ['two\nlines', 'x'.repeat(301)])
      for (const answer of [
        corridor.admin('POST', `/api/admin/lps/${lp.id}/suspend`, { reason: unclear }),
        corridor.admin('DELETE', `/api/admin/agent-keys/${key}?${new URLSearchParams({ reason: unclear })}`),
        corridor.admin('DELETE', `/api/admin/admins/${leaver}?${new URLSearchParams({ reason: unclear })}`),
      ])
        await expectStatus(400, answer);
  });

  test('of an order names the request that was carried out, not a later one of the same admin', async () => {
    const id = await (await corridor.newAgent()).newOrder();
    await corridor.stopWorker();
    const [extended, frozen] = await unanswered(corridor, async () => [
      await adminDoes(ann, 'extend', id, { until: '2036-01-01', reason: 'The LP asks' }),
      await adminDoes(ann, 'freeze', id, { reason: 'The LP calls' }),
    ]);
    expect([extended.status, frozen.status]).toEqual([503, 503]);
    await corridor.startWorker();
    const event = await eventually(async () =>
      (await eventsOf({ object: `order:${id}` })).find(({ result }: { result: string }) => result === 'done'),
    );
    expect(event).toMatchObject({
      action: 'POST /api/admin/orders/:id/extend',
      request_id: extended.headers.get('x-request-id'),
      reason: 'The LP asks',
    });
  });

  test('of an order names the admin whose command a worker carried out', async () => {
    const agent = await corridor.newAgent();
    const lp = await corridor.newLp();
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, adminDoes(ann, 'freeze', id, { reason: 'The LP calls' }));
    await expectStatus(200, corridor.adminDoes('unfreeze', id, { reason: 'Solved' }));
    const events = await eventsOf({ object: `order:${id}` });
    expect(events).toMatchObject([
      {
        actor: 'admin:root',
        action: 'POST /api/admin/orders/:id/unfreeze',
        reason: 'Solved',
        result: 'done',
      },
      {
        actor: 'admin:1',
        actor_name: 'Ann',
        action: 'POST /api/admin/orders/:id/freeze',
        reason: 'The LP calls',
      },
    ]);
    // The claim is the LP's own, and the order's events record it.
    expect(events).toHaveLength(2);
  });

  test.each([
    ['terms', { currency: 'KES', method: 'mobile_money', rate_usd: 129 }, 200],
    ['rates', { currency: 'KES', rate_usd: 130 }, 200],
    ['assets', { symbol: 'usdc', chain: 'eth', address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' }, 201],
    ['auto-claim', { enabled: true }, 200],
    ['webhook', { url: 'https://lp.example/hook?token=s3cret' }, 201],
    ['collateral/deposit', { amount: 7 }, 200],
    ['rotate', { overlap: 0 }, 201],
  ])('by an LP of its %s names the LP, and shows no secret', async (path, body, status) => {
    const lp = await corridor.newLp();
    const answer = await lp.call('POST', `/api/lp/${lp.key}/${path}`, body);
    expect([path, answer.status]).toEqual([path, status]);
    const requestId = String(answer.headers.get('x-request-id'));
    const events = await eventsOf({ request_id: requestId });
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) {
      expect(event).toMatchObject({
        actor: `lp:${lp.id}`,
        action: `POST /api/lp/:lp_key/${path}`,
        result: 'done',
      });
      for (const secret of [lp.key, answer.body.lp_key, answer.body.secret, 's3cret', 'lp.example'].filter(
        Boolean,
      ))
        expect(JSON.stringify(event)).not.toContain(secret);
    }
  });

  test('by SQL on the database itself is recorded as such', async () => {
    const lp = await corridor.newLp();
    const direct = await openDatabase({
      url: corridor.databaseUrl,
      poolSize: 1,
      debug: () => undefined,
    });
    try {
      await direct.pool.query(`set application_name = 'psql'`);
      await direct.pool.query('update lp set tier = 4 where id = $1', [lp.id]);
    } finally {
      await direct.close();
    }
    const [event] = await eventsOf({ object: `lp:${lp.id}` });
    expect(event).toMatchObject({ action: 'update lp', before: { tier: 0 }, after: { tier: 4 } });
    expect(event.actor).toMatch(/^database:/);
  });

  test('that is rolled back leaves no event', async () => {
    const before = (await verifyChain(corridor.db)).events;
    const client = await corridor.db.pool.connect();
    await client.query('begin');
    await client.query(`insert into app_user (name) values ('nobody')`);
    await client.query('rollback');
    client.release();
    expect((await verifyChain(corridor.db)).events).toBe(before);
  });

  test('among many parallel ones never has the name of another person', async () => {
    const lps = await Promise.all(Array.from({ length: 6 }, () => corridor.newLp()));
    const change = (i: number) => {
      const lp = lps[i % lps.length];
      if (!lp) throw new Error('There are LPs');
      const by = [ann, bob, corridor.admin][i % 3] as Call;
      const actor = ['admin:1', 'admin:2', 'admin:root'][i % 3];
      const requestId = `parallel-${String(i).padStart(4, '0')}`;
      const headers = { 'x-request-id': requestId };
      if (i % 4 === 0)
        return lp
          .call('POST', `/api/lp/${lp.key}/rates`, { currency: 'KES', rate_usd: 128 + i / 100 }, headers)
          .then(() => ({ requestId, actor: `lp:${lp.id}` }));
      return by('POST', '/api/admin/users', { name: requestId }, headers).then((answer) => ({
        requestId,
        actor,
        refused: answer.status === 403,
      }));
    };
    const made = await Promise.all(Array.from({ length: 120 }, (_, i) => change(i)));
    const events = await corridor.db.query<{ request_id: string; actor: string }>(
      'parallel-events',
      `select request_id, actor from audit_event where request_id like 'parallel-%'`,
      [],
    );
    expect(events.length).toBeGreaterThanOrEqual(made.length);
    const actorOf = new Map(made.map(({ requestId, actor }) => [requestId, actor]));
    expect(events.filter(({ request_id, actor }) => actorOf.get(request_id) !== actor)).toEqual([]);
    // The service's own work afterwards is nobody's.
    await corridor.db.query(
      'own-work',
      `insert into pause (currency, reason) values ('XXX', 'own work')`,
      [],
    );
    const [own] = await corridor.db.query<{ actor: string }>(
      'own-event',
      `select actor from audit_event where after ->> 'reason' = 'own work'`,
      [],
    );
    expect(own?.actor).toBe('service');
  });
});

describe('a refused attempt', () => {
  test('of an admin is recorded, with what it was refused for', async () => {
    const answer = await bob('POST', '/api/admin/ledger/payouts', { amount: 1, reason: 'mine' });
    expect(answer.status).toBe(403);
    const [event] = await eventsOf({ request_id: String(answer.headers.get('x-request-id')) });
    expect(event).toMatchObject({
      actor: 'admin:2',
      result: 'permission_missing',
      before: null,
      after: null,
    });
  });

  test('of an admin’s key from an address that it is not for is recorded, with whose it is', async () => {
    const added = { name: 'Elsewhere', role: 'owner', allowed_ips: ['192.0.2.7'] };
    const { id, api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', added));
    const answer = await corridor.as(api_key)('POST', `/api/admin/lps/7/suspend`, {});
    expect(answer.status).toBe(403);
    expect(await eventsOf({ request_id: String(answer.headers.get('x-request-id')) })).toMatchObject([
      {
        actor: `admin:${id}`,
        actor_name: 'Elsewhere',
        address: '127.0.0.1',
        action: 'POST /api/admin/lps/:id/suspend',
        object: 'lp:7',
        result: 'admin_address_refused',
        before: null,
        after: null,
      },
    ]);
    // What it reads changes nothing, and is in the log only.
    const { events } = await verifyChain(corridor.db);
    await expectStatus(403, corridor.as(api_key)('GET', '/api/admin/lps'));
    expect((await verifyChain(corridor.db)).events).toBe(events);
  });

  test('of a client without a valid key is not recorded, because any client could fill the audit', async () => {
    const before = (await verifyChain(corridor.db)).events;
    await corridor.anyone('POST', '/api/admin/users', {});
    await corridor.as('adm_live_x')('POST', '/api/admin/users', {});
    await corridor.anyone('POST', '/api/lp/register', {});
    expect((await verifyChain(corridor.db)).events).toBe(before);
  });
});

describe('the chain', () => {
  const EVENTS = 10_000;
  let db: Database;
  beforeAll(async () => {
    db = await openDatabase({ url: await freshDatabase(), queryTimeoutMs: 0, debug: () => undefined });
    await db.pool.query(
      `insert into app_user (name) select 'user ' || n from generate_series(1, ${EVENTS}) n`,
    );
  });
  afterAll(() => db.close());

  /** Does to the audit what only an owner of the database can do, reports, and undoes it. */
  const tamperedWith = async (sql: string, head?: { id: number; hash: string }) => {
    const client = await db.pool.connect();
    await client.query('begin');
    try {
      await client.query('alter table audit_event disable trigger audit_event_append_only');
      await client.query(sql);
      const query: Database['query'] = async (_name, text, values) => (await client.query(text, values)).rows;
      return await verifyChain({ ...db, query }, head);
    } finally {
      await client.query('rollback');
      client.release();
    }
  };
  const ROW = `at, actor, actor_name, role, address, request_id, action, object, result, before, after, reason, hash`;

  test('is whole', async () => {
    expect(await verifyChain(db)).toEqual({
      events: EVENTS,
      head: { id: EVENTS, hash: expect.any(String) },
      broken: null,
    });
  });

  test.each([
    ['a changed actor', `update audit_event set actor = 'admin:1' where id = 5000`, 5000],
    ['a changed time', `update audit_event set at = at - interval '1 second' where id = 1`, 1],
    ['a changed state', `update audit_event set after = '{"name": "other"}' where id = 9999`, 9999],
    ['a removed event', 'delete from audit_event where id = 4321', 4322],
    ['removed events at the beginning', 'delete from audit_event where id < 100', 100],
    [
      'a removed event whose successors moved up',
      `delete from audit_event where id = 7000; update audit_event set id = -id where id > 7000; update audit_event set id = -id - 1 where id < 0`,
      7000,
    ],
    [
      'an inserted event',
      `insert into audit_event (id, ${ROW}) select 10001, ${ROW} from audit_event where id = 9000`,
      10_001,
    ],
    [
      'two events that changed places',
      'update audit_event set id = -id where id in (50, 51); update audit_event set id = case id when -50 then 51 else 50 end where id < 0',
      50,
    ],
  ])('shows %s, and names the event', async (_, sql, id) => {
    expect((await tamperedWith(sql)).broken).toMatchObject({ id });
  });

  test('shows that the end was cut off, if it is compared with an earlier head', async () => {
    const { head } = await verifyChain(db);
    if (!head) throw new Error('There are events');
    expect((await tamperedWith('delete from audit_event where id > 9990')).broken).toBeNull();
    expect((await tamperedWith('delete from audit_event where id > 9990', head)).broken).toMatchObject({
      id: EVENTS,
      problem: 'was removed, with all events after it',
    });
    expect(await verifyChain(db, head)).toMatchObject({ broken: null });
    expect(await verifyChain(db, { ...head, hash: '0'.repeat(64) })).toMatchObject({
      broken: { id: EVENTS },
    });
  });

  test.each([
    ['update', `update audit_event set actor = 'nobody'`],
    ['delete', 'delete from audit_event'],
    ['truncate', 'truncate audit_event'],
  ])('refuses to %s events', async (_, sql) => {
    const client = await db.pool.connect();
    try {
      for (const role of ['origin', 'replica']) {
        await client.query(`set session_replication_role = ${role}`);
        await expect(client.query(sql)).rejects.toMatchObject({ code: '23001' });
      }
    } finally {
      client.release(true);
    }
  });
});

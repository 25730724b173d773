import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { expectStatus } from '../../../dev/http-client.ts';
import { verifyChain } from '../../../src/db/audit/verify-chain.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import { HIDDEN_FROM_READER, SERVICE_RIGHTS } from '../../../src/db/rights.ts';
import { checkInvariants } from '../../../src/operations/diagnosis/check-invariants.ts';
import { maskOrders } from '../../../src/operations/retention/mask-orders.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { roleUrl } from '../../../src/service/embedded/roles.ts';
import { cancel, completedOrder, newAgent, newLp, newOrder } from '../../support/actors.ts';
import { dumpOf } from '../../support/dump.ts';
import { testEnvironment } from '../../support/environment.ts';
import { run } from '../../support/processes.ts';
import { expectNoPendingWebhooks } from '../../support/soundness.ts';
import { useCorridor } from '../../support/use-corridor.ts';

/** Somebody who can send the database any statement, as the service or as the reader. */
const corridor = await useCorridor();
const NOT_ALLOWED = '42501';
let cancelled: number;
let before: Map<string, string>;
beforeAll(async () => {
  const [agent, lp] = [await newAgent(corridor), await newLp(corridor)];
  await completedOrder(corridor, agent, lp);
  cancelled = await newOrder(agent);
  await expectStatus(200, cancel(agent, cancelled));
  await expectNoPendingWebhooks(corridor.db);
  await corridor.stopWorker();
  await corridor.stopApi();
  before = await dumpOf(corridor.db);
});

const clients: pg.Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.end())));
async function connect(role: 'service' | 'reader'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: roleUrl(corridor.databaseUrl, role) });
  await client.connect();
  clients.push(client);
  return client;
}

/** Sends the statements, and expects that each is refused for lack of a right and that nothing has changed. */
async function expectRefused(client: pg.Client, statements: readonly string[]): Promise<void> {
  const answers: [string, string][] = [];
  for (const sql of statements)
    answers.push([
      sql,
      await client.query(sql).then(
        () => 'done',
        ({ code }) => code,
      ),
    ]);
  expect(answers).toEqual(statements.map((sql) => [sql, NOT_ALLOWED]));
  expect(await dumpOf(corridor.db)).toEqual(before);
}

const KEPT = ['ledger_transfer', 'admin_posting', 'order_event', 'audit_event'];

test('a process that connects as the reader ends at once, and says which setting is wrong', async () => {
  const reader = run('src/main.ts', ['api'], {
    DATABASE_URL: roleUrl(corridor.databaseUrl, 'reader'),
    ...{ TEMPORAL_ADDRESS: testEnvironment().temporalAddress, PORT: String(await freePort()) },
  });
  expect(await reader.ends()).toBe(1);
  expect(reader.stderr()).toMatch(
    /^corridor: The role corridor_reader may only read Corridor's tables\. DATABASE_URL must be of the service's role/m,
  );
});

test.each<[string, () => Promise<string>, RegExp]>([
  [
    'an unreachable server',
    async () => 'postgres://nobody@127.0.0.1:1/none',
    /^corridor: PostgreSQL of DATABASE_READER_URL at 127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\)\.$/m,
  ],
  [
    'a role that does not exist',
    async () => asRole('corridor_nobody'),
    /^corridor: PostgreSQL of DATABASE_READER_URL at \S+ cannot be used \(28\w{3}: .*\)\.$/m,
  ],
  [
    'a role without rights',
    async () => {
      await corridor.db.pool.query(`drop role if exists corridor_stranger`);
      await corridor.db.pool.query(`create role corridor_stranger login password 'x'`);
      return asRole('corridor_stranger');
    },
    /^corridor: The role corridor_stranger of DATABASE_READER_URL may not read Corridor's tables: docs\/operations\.md/m,
  ],
  [
    'another database',
    async () => roleUrl(testEnvironment().adminUrl, 'reader'),
    /^corridor: DATABASE_READER_URL names a database without the tables of Corridor\. /m,
  ],
])('an API with %s as its reader ends at once, and names the setting', async (_what, readerUrl, says) => {
  const api = run('src/main.ts', ['api'], {
    ...{ DATABASE_URL: roleUrl(corridor.databaseUrl, 'service'), DATABASE_READER_URL: await readerUrl() },
    ...{ TEMPORAL_ADDRESS: testEnvironment().temporalAddress, PORT: String(await freePort()) },
  });
  expect(await api.ends()).toBe(1);
  expect(api.stderr()).toMatch(says);
  expect(api.stderr()).not.toMatch(/\n\s+at /);
});
function asRole(name: string): string {
  const url = new URL(corridor.databaseUrl);
  [url.username, url.password] = [name, 'x'];
  return url.href;
}

describe('the service', () => {
  let service: pg.Client;
  beforeAll(async () => {
    service = await connect('service');
  });

  test.each(KEPT)('can change or delete nothing in %s', async (table) => {
    const { rows } = await corridor.db.pool.query(
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0',
      [table],
    );
    await expectRefused(service, [
      ...rows.map(({ name }) => `update ${table} set ${name} = ${name}`),
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]);
  });

  test('cannot write the audit itself, nor a balance of the platform', () =>
    expectRefused(service, [
      'insert into audit_event select 1000000, at, actor, actor_name, role, address, request_id, action, object, result, before, after, reason, hash from audit_event limit 1',
      'update platform_account set balance = 0',
      `insert into platform_account (name) values ('platform:mine')`,
    ]));

  test('cannot turn off a trigger, or change, remove or create anything in the schema', () =>
    expectRefused(service, [
      'alter table order_event disable trigger order_event_keep',
      'alter table ledger_transfer disable trigger all',
      'alter table orders drop column recipient',
      'alter table orders owner to corridor_service',
      'set session_replication_role = replica',
      'drop table ledger_transfer cascade',
      'drop trigger audit_event_append_only on audit_event',
      'drop function begin_masking(bigint[])',
      'create or replace function mask() returns varchar language sql return null',
      'create table mine (id int)',
      'create schema mine',
      'create view mine as select 1',
      'create index mine on orders (id)',
    ]));

  test('cannot become another role, read files or run programs', () =>
    expectRefused(service, [
      'set role corridor_owner',
      'set session authorization corridor_owner',
      'grant corridor_owner to corridor_service',
      'alter role corridor_service superuser',
      'create role mine login',
      `select pg_read_file('/etc/shadow')`,
      `select pg_ls_dir('.')`,
      `copy orders to program 'cat'`,
      `copy orders to '/tmp/orders'`,
      `create temp table shadow (line text); copy shadow from '/etc/shadow'`,
    ]));

  test('cannot put a table of its own into the place of one that masking reads', async () => {
    await service.query('begin');
    try {
      await service.query(`create temp table orders as select * from public.orders`);
      await service.query(`update pg_temp.orders set recipient = '•••'`);
      await service.query('grant all on pg_temp.orders to public');
      const masking = service.query(`select begin_masking(array[${cancelled}]::bigint[]) as id`);
      expect(await masking.then(({ rows }) => rows, String)).toEqual([{ id: String(cancelled) }]);
      const { rows } = await service.query(`select recipient from public.orders where id = ${cancelled}`);
      expect(rows).toEqual([{ recipient: '•••' }]);
    } finally {
      await service.query('rollback');
    }
  });

  test('masks ended orders, and the audit holds', async () => {
    const db = await openDatabase({ url: corridor.shared.databaseUrl, debug: () => undefined });
    try {
      const receipts = { remove: async () => undefined };
      expect((await maskOrders({ db, receipts }, [cancelled], 'test')).ids).toEqual([cancelled]);
      expect(await verifyChain(db)).toMatchObject({ broken: null });
    } finally {
      await db.close();
      before = await dumpOf(corridor.db);
    }
  });
});

test('not even the superuser reads files of others on the host', async () => {
  const read = corridor.db.pool.query(`select pg_read_file('/etc/shadow')`);
  await expect(read).rejects.toThrow(/Permission denied|No such file/);
});

describe('the reader', () => {
  let reader: pg.Client;
  beforeAll(async () => {
    reader = await connect('reader');
  });

  test('writes nothing', () =>
    expectRefused(
      reader,
      Object.keys(SERVICE_RIGHTS).flatMap((table) => [
        `delete from ${table}`,
        `insert into ${table} default values`,
        `truncate ${table} cascade`,
      ]),
    ));

  test('reads no secret, in no way', () =>
    expectRefused(
      reader,
      Object.entries(HIDDEN_FROM_READER).flatMap(([table, columns]) => [
        `select * from ${table}`,
        `select to_jsonb(t) from ${table} t`,
        `copy ${table} to stdout`,
        ...columns.map((column) => `select from ${table} where ${column} is not null`),
      ]),
    ));

  test('calls no function that writes', () =>
    expectRefused(reader, [
      `select begin_masking(array[${cancelled}]::bigint[])`,
      `select end_masking(array[${cancelled}]::bigint[], '{}', 'attack')`,
      `select append_audit('{"actor": "admin:1"}', 'a', 'o', 'done', null, null, null)`,
      `select setval('orders_id_seq', 1)`,
      `select nextval('orders_id_seq')`,
      `create temp table t (debit text); create trigger mine after insert on t for each row execute function check_platform_account()`,
    ]));

  test('checks everything that Corridor promises, and the chain of the audit', async () => {
    const db: Database = corridor.shared.reader;
    const { gateway, log } = corridor.shared;
    expect(await checkInvariants({ db, gateway, log })).toEqual([]);
    expect(await verifyChain(db)).toMatchObject({ broken: null });
  });
});

describe('the rights', () => {
  const rowsOf = async (sql: string) => (await corridor.db.pool.query(sql)).rows.map(({ name }) => name);

  test('are decided for every table', async () => {
    const tables = await rowsOf(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    expect(tables.sort()).toEqual(Object.keys(SERVICE_RIGHTS).sort());
  });

  test('hide every column of a key or a secret from the reader', async () => {
    const secrets = await rowsOf(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and column_name ~ '(^|_)(secret|key_hash|token_hash|password)$'`,
    );
    const hidden = Object.entries(HIDDEN_FROM_READER).flatMap(([table, columns]) =>
      columns.map((column) => `${table}.${column}`),
    );
    expect(hidden).toEqual(expect.arrayContaining(secrets));
  });

  test('of the owner are lent only by functions that look nothing up in a schema of the caller', async () => {
    const lending = await corridor.db.pool.query(
      `select proname as name, proconfig as settings, has_function_privilege('corridor_reader', oid, 'execute') as open
       from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by 1`,
    );
    expect(lending.rows).toEqual(
      ['append_audit', 'begin_masking', 'check_platform_account', 'end_masking'].map((name) => ({
        name,
        settings: ['search_path=public, pg_temp'],
        open: false,
      })),
    );
  });
});

import { afterAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/orm.ts';
import { openConnections } from '../../src/db/pool.ts';
import { freshDatabase } from '../support/database.ts';

const open = (url: string, poolSize: number) => openDatabase({ url, poolSize, debug: () => undefined });

const url = await freshDatabase();
const db = await open(url, 1);
await db.query('make', 'create table stock (n int check (n >= 0), code text unique)', []);
afterAll(() => db.close());

/** Identifies the pool's only connection by its PostgreSQL process. */
async function connection(): Promise<number | undefined> {
  return (await db.query<{ pid: number }>('pid', 'select pg_backend_pid() as pid', []))[0]?.pid;
}

test('a refused statement keeps its connection', async () => {
  const before = await connection();
  const take = () => db.query('take', 'insert into stock values ($1, $2)', [-1, 'a']);
  await expect(take()).rejects.toMatchObject({ constraint: 'stock_n_check' });
  await db.query('put', 'insert into stock values (1, $1)', ['b']);
  await expect(db.query('put', 'insert into stock values (1, $1)', ['b'])).rejects.toMatchObject({
    code: '23505',
  });
  expect(await connection()).toBe(before);
});

test('a statement whose plan a migration made invalid gets a new connection, and works there', async () => {
  const before = await connection();
  const read = () => db.query('read', 'select * from stock', []);
  await read();
  await db.query('alter', 'alter table stock add column more int', []);
  await expect(read()).rejects.toThrow('cached plan must not change result type');
  expect(await connection()).not.toBe(before);
  expect((await read())[0]).toHaveProperty('more');
});

test('openConnections opens every connection, and each works', async () => {
  const wide = await open(url, 5);
  await openConnections(wide.pool);
  expect([wide.pool.totalCount, wide.pool.idleCount]).toEqual([5, 5]);
  const all = await Promise.all(
    Array.from({ length: 5 }, () => wide.query<{ pid: number }>('pid', 'select pg_backend_pid() as pid', [])),
  );
  expect(new Set(all.map(([row]) => row?.pid)).size).toBe(5);
  await wide.close();
});

test('openConnections throws the reason if some cannot open, and keeps the others', async () => {
  const role = `narrow_${process.pid}`;
  await db.query('role', `create role ${role} login password 'narrow' connection limit 2`, []);
  const asRole = new URL(url);
  asRole.username = role;
  asRole.password = 'narrow';
  const narrow = await open(asRole.href, 4);
  // Opened first: of connections that arrive together, PostgreSQL may refuse more than those above the limit.
  await Promise.all([narrow.query('one', 'select 1', []), narrow.query('two', 'select 2', [])]);
  await expect(openConnections(narrow.pool)).rejects.toThrow(/too many connections for role/);
  expect(narrow.pool.idleCount).toBe(2);
  await narrow.close();
  await db.query('no-role', `drop role ${role}`, []);
});

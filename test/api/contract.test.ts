import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newAdminKey, newReceiptKey } from '../../src/http/access/keys.ts';
import { startCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { testEnvironment } from '../support/environment.ts';
import { documentedRoutes, entryOf, type RouteEntry, SPECIAL_ROUTES } from '../support/route-table.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const database = new URL(await freshDatabase());
const proxy = await startTcpProxy(database.hostname, Number(database.port));
database.port = String(proxy.port);
const corridor = await startCorridor({ worker: false, databaseUrl: database.href });
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const { body } = await corridor.anyone('GET', '/openapi.json');
writeFileSync(testEnvironment().contractDocument, JSON.stringify(body));
const operations = await documentedRoutes(corridor.anyone);
afterAll(async () => {
  await corridor.stop();
  await proxy.close();
});

/** A path with values for its parameters. */
const filled = (path: string) =>
  path
    .replace('{lp_key}', lp.key)
    .replace('{receipt_key}', newReceiptKey())
    .replace(/\{\w+\}/g, '1');
const caller = (key: string | undefined) =>
  ({ agentKey: agent.call, adminKey: corridor.admin, lpKey: lp.call })[key ?? ''] ?? corridor.anyone;

describe('every route of the document', () => {
  test('takes the kind of key that test/support/route-table.ts states', () => {
    const names = operations.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(Object.keys(SPECIAL_ROUTES)));
    for (const { name, key, open } of operations)
      expect([name, open ? 'none' : (key ?? 'any')]).toEqual([name, KEYS[entryOf(name).kind]]);
  });

  test('that has a body without path parameters has an example that creates something', async () => {
    // The ledger is empty here, and the root key is not its holder's own: test/attacks tests these routes.
    const elsewhere = /^\/api\/admin\/(ledger\/|whoami\/rotate$)/;
    const creating = operations.filter(
      ({ path, example }) => example && !path.includes('{') && !elsewhere.test(path),
    );
    const paths = creating.map(({ path }) => path);
    for (const path of ['/api/v1/pay', '/api/lp/register', '/sandbox/transactions'])
      expect(paths).toContain(path);
    for (const { path, key, example } of creating)
      expect([path, (await caller(key)('POST', path, example)).status]).toEqual([path, 201]);
  });

  test('refuses a caller without its key, with the contract’s status', async () => {
    for (const { method, path, key } of operations.filter((o) => o.key)) {
      const wanted = ['lpKey', 'consoleSession'].includes(key ?? '') ? 401 : 403;
      for (const call of [corridor.anyone, corridor.as('nonsense')]) {
        expect([
          method,
          path,
          (await call(method, filled(path), method === 'POST' ? {} : undefined)).status,
        ]).toEqual([method, path, wanted]);
      }
    }
  });

  test('refuses a body that is not JSON, and one that is too large', async () => {
    for (const { method, path, key } of operations.filter((o) => o.takesJson)) {
      const call = caller(key);
      expect([path, (await call(method, filled(path), '{"broken')).status]).toEqual([path, 400]);
      const huge = JSON.stringify({ text: 'x'.repeat(100_000) });
      expect([path, (await call(method, filled(path), huge)).status]).toEqual([path, 413]);
    }
  });

  test('returns 503 while the database is unavailable, and the document says so', async () => {
    proxy.cut();
    try {
      const needing = operations.filter((o) => o.statuses.includes('503') && o.path !== '/metrics');
      for (const { method, path, key, statuses, example = {} } of needing) {
        const body = method === 'POST' ? example : undefined;
        const headers = path.startsWith('/api/admin/ledger/') ? { 'idempotency-key': path } : {};
        const { query = '' } = entryOf(`${method} ${path}`);
        // The key of the settings needs no database to be known, and these routes read nothing else.
        const call =
          path.startsWith('/api/admin/whoami') || key === 'consoleSession'
            ? corridor.as(newAdminKey())
            : caller(key);
        const { status } = await call(method, filled(path + query), body, headers);
        expect([method, path, status]).toEqual([method, path, 503]);
        expect(statuses).toContain(String(status));
      }
    } finally {
      proxy.restore();
    }
  });

  test('the metrics need the database only to count wrong keys', async () => {
    const { databaseUrl } = corridor;
    const env = { AUTH_FAILURE_LIMIT: '60' };
    const counting = await startCorridor({ worker: false, databaseUrl, env });
    proxy.cut();
    try {
      expect((await corridor.admin('GET', '/metrics')).status).toBe(200);
      expect((await counting.admin('GET', '/metrics')).status).toBe(503);
    } finally {
      proxy.restore();
      await counting.stop();
    }
  });
});

/** The document's name for each kind of caller's key. */
const KEYS: Record<RouteEntry['kind'], string> = {
  agent: 'agentKey',
  lp: 'lpKey',
  admin: 'adminKey',
  none: 'none',
  any: 'any',
  known: 'consoleSession',
};

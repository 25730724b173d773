import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newReceiptKey } from '../../src/keys.ts';
import { type Agent, newAgent, newLp, type TestLp } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { testEnvironment } from '../support/environment.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

interface Operation {
  method: string;
  path: string;
  key: string | undefined;
  /** Takes no key at all. */
  open: boolean;
  takesJson: boolean;
  statuses: string[];
}

let corridor: TestCorridor;
let wire: TcpProxy;
let operations: Operation[];
let agent: Agent;
let lp: TestLp;
beforeAll(async () => {
  const database = new URL(await freshDatabase());
  wire = await startTcpProxy(database.hostname, Number(database.port));
  database.port = String(wire.port);
  corridor = await startCorridor({ worker: false, databaseUrl: database.href });
  agent = await newAgent(corridor);
  lp = await newLp(corridor);
  const { body } = await corridor.anyone('GET', '/openapi.json');
  writeFileSync(testEnvironment().contractDocument, JSON.stringify(body));
  operations = read(body.paths);
});
afterAll(async () => {
  await corridor.stop();
  await wire.close();
});

type Paths = Record<
  string,
  Record<
    string,
    { security: Record<string, unknown>[]; requestBody?: { content: object }; responses: object }
  >
>;
const read = (paths: Paths): Operation[] =>
  Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, { security, requestBody, responses }]) => ({
      method: method.toUpperCase(),
      path,
      key: Object.keys(security[0] ?? {})[0],
      open: security.length === 0,
      takesJson: 'application/json' in (requestBody?.content ?? {}),
      statuses: Object.keys(responses),
    })),
  );
/** A path with something in place of its parameters. */
const filled = (path: string) =>
  path
    .replace('{lp_key}', lp.key)
    .replace('{receipt_key}', newReceiptKey())
    .replace(/\{\w+\}/g, '1');
const caller = (key: string | undefined) =>
  ({ agentKey: agent.call, adminKey: corridor.admin, lpKey: lp.call })[key ?? ''] ?? corridor.anyone;

describe('every route of the document', () => {
  test('is one of the contract, and the contract’s are all there', () => {
    const listed = operations.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(listed).size).toBe(listed.length);
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const rows = [...readme.matchAll(/^\| `(GET|POST|DELETE) ([^`]+)` \| ([^|]+) \|/gm)];
    const documented = rows.map(([, method, path, key]) => `${method} ${path} ${KEYS[key ?? ''] ?? 'any'}`);
    expect(documented.sort()).toEqual(
      operations
        .map(({ method, path, key, open }) => `${method} ${path} ${open ? 'none' : (key ?? 'any')}`)
        .sort(),
    );
  });

  test('has an example that it takes, where there is a body to be made up', async () => {
    const { body: document } = await corridor.anyone('GET', '/openapi.json');
    const examples = Object.entries<
      Record<string, { requestBody?: { content: Record<string, { example?: object }> } }>
    >(document.paths).flatMap(([path, { post }]) => {
      const example = post?.requestBody?.content['application/json']?.example;
      return example ? [{ path, example }] : [];
    });
    const paths = examples.map(({ path }) => path);
    for (const path of ['/api/v1/pay', '/api/lp/register', '/sandbox/transactions'])
      expect(paths).toContain(path);
    for (const { path, example } of examples.filter((e) => !e.path.includes('{'))) {
      const keyOf = operations.find((o) => o.path === path && o.method === 'POST')?.key;
      const { status } = await caller(keyOf)('POST', path, example);
      expect([path, status]).toEqual([path, 201]);
    }
  });

  test('refuses a caller without its key, with the contract’s status', async () => {
    for (const { method, path, key } of operations.filter((o) => o.key)) {
      const wanted = key === 'lpKey' ? 401 : 403;
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

  test('answers 503 while the database is away, and the document says so', async () => {
    wire.cut();
    try {
      const needing = operations.filter((o) => o.statuses.includes('503') && o.path !== '/metrics');
      for (const { method, path, key, statuses } of needing) {
        const body = method === 'POST' ? (WORKING_BODIES[path] ?? {}) : undefined;
        const { status } = await caller(key)(method, filled(path), body);
        expect([method, path, status]).toEqual([method, path, 503]);
        expect(statuses).toContain(String(status));
      }
    } finally {
      wire.mend();
    }
  });

  test('the metrics need the database for nothing but the count of wrong keys', async () => {
    const { shared } = corridor;
    const env = { AUTH_FAILURE_LIMIT: '60' };
    const counting = await startCorridor({ worker: false, databaseUrl: shared.databaseUrl, env });
    wire.cut();
    try {
      expect((await corridor.admin('GET', '/metrics')).status).toBe(200);
      expect((await counting.admin('GET', '/metrics')).status).toBe(503);
    } finally {
      wire.mend();
      await counting.stop();
    }
  });
});

/** The README's words for the keys. */
const KEYS: Record<string, string> = { agent: 'agentKey', LP: 'lpKey', admin: 'adminKey', '–': 'none' };

/** Bodies that get past validation, so that the database is asked. */
const WORKING_BODIES: Record<string, object> = {
  '/api/v1/pay': { amount: 1, currency: 'KES', recipient: 'r', user_id: 1 },
  '/api/v1/rates': { amount: 1, currency: 'KES' },
  '/api/v1/settle/{orderId}': { tx_hash: 'abcd' },
  '/api/lp/register': { xrpl_address: 'r', mpesa_phone: '1' },
  '/api/lp/{lp_key}/rates': { currency: 'KES', rate_usd: 1 },
  '/api/lp/{lp_key}/assets': { symbol: 'usdt', chain: 'trx', address: 'T' },
  '/api/lp/{lp_key}/collateral/deposit': { amount: 1 },
  '/api/lp/{lp_key}/collateral/withdraw': { amount: 1, address: 'T' },
  '/api/admin/withdrawals/{id}/reject': { reason: 'r' },
  '/api/admin/lps/{id}/tier': { tier: 1 },
  '/api/admin/lps/{id}/forgive': { reason: 'r' },
  '/api/lp/{lp_key}/auto-claim': { enabled: true },
  '/api/v1/dispute/{orderId}': { reason: 'r' },
  '/api/orders/{order_id}/dispute': { reason: 'r' },
  '/api/admin/orders/{id}/resolve': { outcome: 'cancelled', reason: 'r' },
  '/api/admin/orders/{id}/cancel': { reason: 'r' },
  '/api/admin/orders/{id}/extend': { until: '2036-03-01', reason: 'r' },
  '/api/admin/orders/{id}/freeze': { reason: 'r' },
  '/api/admin/orders/{id}/unfreeze': { reason: 'r' },
  '/api/admin/orders/{id}/retry-verification': { reason: 'r' },
  '/sandbox/transactions': { chain: 'trx', symbol: 'usdt', to: 'T', amount: 1 },
};

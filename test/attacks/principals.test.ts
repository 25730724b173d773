import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Call, createCaller, expectStatus } from '../../dev/http-client.ts';
import { ADMIN_KEY, startCorridor } from '../support/corridor.ts';
import { businessTables } from '../support/dump.ts';
import { eventually } from '../support/eventually.ts';
import { connectFeed } from '../support/feed-client.ts';
import type { TestLp } from '../support/parties.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { documentedRoutes, entryOf, REFUSED, type RouteEntry } from '../support/route-table.ts';
import { unanswered } from '../support/unanswered.ts';

/** Keys that are no longer valid. */
const ended: Record<string, string> = {};

const approved = async (made: TestLp): Promise<TestLp> => {
  await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${made.id}/approve`, {}));
  return made;
};

const folder = await mkdtemp(join(tmpdir(), 'corridor-data-'));
const corridor = await startCorridor({ env: { LP_AUTO_APPROVE: 'false', DATA_DIR: folder } });
const [agent, otherAgent] = [await corridor.newAgent(), await corridor.newAgent()];
const lp = await approved(await corridor.newLp());
const otherLp = await approved(await corridor.newLp());
const suspendedLp = await approved(await corridor.newLp());
await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${suspendedLp.id}/suspend`, {}));
const pendingLp = await corridor.newLp();
const revoked = await corridor.newAgent();
await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${revoked.keyId}`));
const rotated = await corridor.newAgent();
const rotation = corridor.admin('POST', `/api/admin/agent-keys/${rotated.keyId}/rotate`, { overlap: 0 });
await expectStatus(201, rotation);
Object.assign(ended, { revoked: revoked.key, rotated: rotated.key });
const orderId = await agent.newOrder({ callback_url: corridor.receiver.url });
await expectStatus(200, lp.claim(orderId));
const receipt = await expectStatus(201, upload(lp, orderId, fileOf(HEADS['image/png'], 2_000)));
const deposit = await expectStatus(
  200,
  lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, { amount: 5 }),
);
const path = `/api/v1/webhook-deliveries?order_id=${orderId}`;
const delivery = await eventually(async () => {
  const [found] = (await expectStatus(200, agent.call('GET', path))).deliveries;
  return found?.state === 'delivered' && found;
});
/** The parameters of the paths. All of these things belong to `agent` and `lp`. */
const owned: Record<string, string> = {
  orderId: String(orderId),
  order_id: String(orderId),
  lp_key: lp.key,
  deposit_id: String(deposit.deposit_id),
  receipt_key: receipt.receipt_key,
  id: String(delivery.id),
};
const routes = await documentedRoutes(corridor.anyone);
// Refused requests need no worker. It stops here, so only the tested calls can change data.
await corridor.stopWorker();
afterAll(async () => {
  await corridor.stop();
  await rm(folder, { recursive: true });
});

const filled = (text: string, values: Record<string, string> = owned) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '1');

/** Calls a route with `values` in its path. */
function callRoute(call: Call, route: string, { headers = {}, values = owned, body = {} } = {}) {
  const [method = '', path = ''] = route.split(' ');
  const { query = '' } = entryOf(route);
  return call(method, filled(path + query, values), method === 'POST' ? body : undefined, headers);
}

const ofKind = (...kinds: RouteEntry['kind'][]) =>
  routes.map(({ name }) => name).filter((route) => kinds.includes(entryOf(route).kind));

/** Headers without a valid key of this kind, by description. */
function wrongKeys(kind: 'agent' | 'lp' | 'admin'): Record<string, Record<string, string>> {
  const keys = { agent: agent.key, lp: lp.key, admin: ADMIN_KEY };
  const right = keys[kind];
  const others = Object.entries(keys).filter(([name]) => name !== kind);
  const bearers = {
    ...Object.fromEntries(others),
    ...ended,
    garbage: 'garbage',
    null: 'null',
    'a key of another installation': kind === 'lp' ? `lp_${'0'.repeat(48)}` : `rk_live_${'0'.repeat(48)}`,
    'a part of the key': right.slice(0, -1),
    'more than the key': `${right}0`,
    'the key in another case': right.toUpperCase(),
    'the stored hash of the key': createHash('sha256').update(right).digest('hex'),
    'two keys': `${right},${right}`,
    'a very long key': 'x'.repeat(8_000),
    'a pattern': '%',
    'a statement': "'or'1'='1",
  };
  return {
    nothing: {},
    'an empty header': { authorization: '' },
    'no scheme': { authorization: right },
    'another scheme': { authorization: `Basic ${Buffer.from(`${right}:`).toString('base64')}` },
    'the scheme alone': { authorization: 'Bearer ' },
    'the key in another header': { 'x-api-key': right, 'proxy-authorization': `Bearer ${right}` },
    'the key in a cookie': { cookie: `authorization=Bearer ${right}; key=${right}` },
    ...Object.fromEntries(
      Object.entries(bearers).map(([name, key]) => [name, { authorization: `Bearer ${key}` }]),
    ),
  };
}

test.each(['agent', 'lp', 'admin'] as const)(
  'a route for %s keys opens only with a key of that kind, and refused requests change nothing',
  async (kind) => {
    const before = await businessTables(corridor.db);
    const answers: [string, string, number][] = [];
    for (const route of ofKind(kind)) {
      for (const [name, headers] of Object.entries(wrongKeys(kind)))
        answers.push([route, name, (await callRoute(corridor.anyone, route, { headers })).status]);
    }
    expect(answers.filter(([, , status]) => status !== REFUSED[kind])).toEqual([]);
    expect(answers.length).toBeGreaterThan(ofKind(kind).length * 15);
    expect(await businessTables(corridor.db)).toEqual(before);
  },
);

test('HEAD requires the same key as GET', async () => {
  for (const kind of ['agent', 'lp', 'admin'] as const) {
    for (const route of ofKind(kind).filter((r) => r.startsWith('GET'))) {
      const path = filled(route.slice(4));
      const { status } = await fetch(corridor.config.publicUrl + path, { method: 'HEAD' });
      expect([route, status]).toEqual([route, REFUSED[kind]]);
    }
  }
});

test('another owner’s key reads nothing and changes nothing', async () => {
  const before = await businessTables(corridor.db);
  for (const { name, example: body = {} } of routes) {
    const { kind, stranger } = entryOf(name);
    if ((kind !== 'agent' && kind !== 'lp') || stranger === 'own') continue;
    const { status } = await callRoute(kind === 'agent' ? otherAgent.call : otherLp.call, name, { body });
    expect([name, status]).toEqual([name, stranger]);
  }
  expect(withoutLastUse(await businessTables(corridor.db))).toEqual(withoutLastUse(before));
});

/** Leaves out the table that records when a valid key was last used. */
const withoutLastUse = ({ agent_key: _, ...rest }: Record<string, string>) => rest;

test('an LP’s own path gives no access to another LP’s data', async () => {
  const own = { ...owned, lp_key: otherLp.key };
  const confirm = 'POST /api/lp/{lp_key}/collateral/{deposit_id}/confirm';
  expect((await callRoute(otherLp.call, confirm, { values: own })).status).toBe(404);
  expect((await upload(otherLp, owned.orderId as string, fileOf(HEADS['image/png'], 2_000))).status).toBe(
    403,
  );
  for (const route of ['GET /api/lp/{lp_key}/dashboard', 'GET /api/lp/{lp_key}/balance']) {
    const text = JSON.stringify((await callRoute(otherLp.call, route, { values: own })).body);
    for (const secret of [lp.address, lp.key, agent.key, '+254700123456']) expect(text).not.toContain(secret);
  }
});

test('lists contain only what belongs to the caller', async () => {
  expect((await expectStatus(200, otherAgent.call('GET', '/api/v1/orders'))).orders).toEqual([]);
  expect((await expectStatus(200, agent.call('GET', '/api/v1/orders'))).orders).toHaveLength(1);
});

test('callers who are not a party of an order see only its public part', async () => {
  const strangers = [{}, ...Object.values({ ...wrongKeys('agent'), ...wrongKeys('lp') })].filter(
    ({ authorization = '' }: Record<string, string>) =>
      ![agent.key, lp.key, ADMIN_KEY].some((key) => authorization === `Bearer ${key}`),
  );
  const others = [otherAgent.key, otherLp.key, suspendedLp.key].map((key) => ({
    authorization: `Bearer ${key}`,
  }));
  const order = `/api/orders/${owned.order_id}`;
  const shown = await expectStatus(200, corridor.anyone('GET', order));
  for (const name of ['user_id', 'callback_url', 'receipt_url', 'recipient'])
    expect(shown).not.toHaveProperty(name);
  for (const headers of [...strangers, ...others]) {
    expect(await expectStatus(200, corridor.anyone('GET', order, undefined, headers))).toEqual(shown);
    const receipt = await corridor.anyone('GET', `/api/receipts/${owned.receipt_key}`, undefined, headers);
    expect([headers, receipt.status]).toEqual([headers, 404]);
  }
  for (const call of [agent.call, lp.call, corridor.admin])
    expect(await expectStatus(200, call('GET', order))).toHaveProperty('receipt_url');
});

test('public routes ignore keys, also wrong ones', async () => {
  for (const route of ofKind('none')) {
    const [bare, keyed] = [
      await callRoute(corridor.anyone, route),
      await callRoute(corridor.as('garbage'), route),
    ];
    expect([route, keyed.status]).toEqual([route, bare.status]);
    expect([401, 403]).not.toContain(bare.status);
  }
});

describe('an LP that is not approved', () => {
  test.each(['pending', 'suspended'])('(%s) can use its own routes, and gets no order', async (status) => {
    const one = status === 'pending' ? pendingLp : suspendedLp;
    const own = { ...owned, lp_key: one.key };
    for (const route of ofKind('lp').filter((r) => r.includes('{lp_key}'))) {
      const answer = await callRoute(one.call, route, { values: own });
      expect([route, [401, 403].includes(answer.status)]).toEqual([route, false]);
    }
    const dashboard = await expectStatus(200, one.call('GET', `/api/lp/${one.key}/dashboard`));
    expect([dashboard.lp.status, dashboard.open_orders]).toEqual([status, []]);
    const open = await agent.newOrder();
    const stream = await expectStatus(200, one.call('GET', `/api/lp/${one.key}/orders/stream`));
    expect(stream.orders).toEqual([]);
    for (const { name, path, example: body = {} } of routes) {
      if (!path.startsWith('/api/orders/{order_id}') || entryOf(name).kind !== 'lp') continue;
      const values = { ...owned, order_id: String(open) };
      expect([name, (await callRoute(one.call, name, { values, body })).status]).toEqual([name, 403]);
    }
  });
});

test('the order feed opens only with an LP’s key', async () => {
  const wrong = [undefined, agent.key, ADMIN_KEY, 'garbage', ended.revoked, lp.key.toUpperCase()];
  for (const key of wrong) {
    const refused = connectFeed(corridor.config.publicUrl, key === undefined ? {} : { key });
    await expect(refused).rejects.toEqual({ status: 401, body: { error: 'Unauthorized' } });
  }
});

/** The last test, because it changes data. Without it, a service that refuses all calls would pass. */
test('the right key opens each route', async () => {
  const calls = { agent: agent.call, lp: lp.call, admin: corridor.admin };
  for (const route of ofKind('agent', 'lp', 'admin')) {
    const { kind } = entryOf(route);
    // An admin's calls use an unknown id, so that they deactivate and decide nothing.
    const values = kind === 'admin' ? { id: '999999999' } : owned;
    // No worker runs, so signals have no effect; the key was accepted before.
    const { status } = await unanswered(corridor, () => callRoute(calls[kind as 'agent'], route, { values }));
    expect([route, [401, 403].includes(status)]).toEqual([route, false]);
  }
  expect((await createCaller(corridor.config.publicUrl, agent.key)('GET', '/api/v1/orders')).status).toBe(
    200,
  );
});

import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { connectFeed } from '../support/feed-client.ts';
import { useCorridor } from '../support/use-corridor.ts';

const lines: Record<string, unknown>[] = [];

const of = (requestId: string) =>
  lines.filter((line) => line.requestId === requestId && line.msg === 'request');
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
    done();
  },
});
const logTo = Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream;
/** What the log says about a request. `attacks/secrets` shows that it contains no key and no recipient. */
const corridor = await useCorridor({ env: { LOG_LEVEL: 'info' }, logTo });
const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];

test('each request has a line with its caller, its object, its address and the code of a refusal', async () => {
  const order = await agent.newOrder();
  const as = (id: string) => ({ 'x-request-id': id });
  await corridor.anyone('GET', `/api/orders/${order}`, undefined, as('a-stranger'));
  await agent.call('GET', `/api/v1/status/${order}`, undefined, as('an-agent'));
  await corridor.admin('GET', `/api/admin/orders/${order}`, undefined, as('an-admin'));
  const path = `/api/orders/${order}/claim`;
  await expectStatus(200, lp.call('POST', path, {}, as('its-new-owner')));
  await expectStatus(
    409,
    corridor.newLp().then((other) => other.call('POST', path, {}, as('too-late'))),
  );

  const shared = { object: `order:${order}`, address: '127.0.0.1', ms: expect.any(Number) };
  expect(of('a-stranger')).toMatchObject([{ ...shared, caller: 'stranger', status: 200 }]);
  expect(of('an-agent')).toMatchObject([{ ...shared, caller: `agent:${agent.keyId}`, status: 200 }]);
  expect(of('an-admin')).toMatchObject([{ ...shared, caller: 'admin:root', status: 200 }]);
  expect(of('its-new-owner')).toMatchObject([
    { ...shared, caller: `lp:${lp.id}`, route: '/api/orders/:order_id/claim' },
  ]);
  expect(of('too-late')).toMatchObject([
    { ...shared, status: 409, code: expect.stringMatching(/^[a-z_]+$/) },
  ]);
});

test('so does each socket of the feed', async () => {
  const url = corridor.config.publicUrl;
  const as = (id: string) => ({ headers: { 'x-request-id': id } });
  const socket = await connectFeed(url, { key: lp.key, ...as('an-lp-s-socket') });
  await socket.close();
  await expect(connectFeed(url, { key: 'lp_guess', ...as('a-guessed-key') })).rejects.toMatchObject({
    status: 401,
  });
  const shared = { method: 'GET', route: '/ws/orders', address: '127.0.0.1' };
  expect(of('an-lp-s-socket')).toMatchObject([{ ...shared, status: 101, caller: `lp:${lp.id}` }]);
  expect(of('a-guessed-key')).toMatchObject([{ ...shared, status: 401, code: 'lp_unauthorized' }]);
  expect(of('a-guessed-key')[0]).not.toHaveProperty('caller');
  await expect(connectFeed(url, { key: lp.key, cursor: 'x', ...as('a-bad-cursor') })).rejects.toMatchObject({
    status: 400,
  });
  expect(of('a-bad-cursor')).toMatchObject([
    { ...shared, status: 400, caller: `lp:${lp.id}`, code: 'validation_failed' },
  ]);
});

test('the line of a key that is used from a wrong address names the key', async () => {
  const allowed_ips = ['192.0.2.7'];
  const add = (path: string, body: object) =>
    expectStatus(
      201,
      corridor.admin('POST', `/api/admin/${path}`, { name: 'Elsewhere', allowed_ips, ...body }),
    );
  const admin = await add('admins', { role: 'viewer' });
  const key = await add('agent-keys', {});
  const get = (apiKey: string, path: string, id: string) =>
    expectStatus(403, corridor.as(apiKey)('GET', path, undefined, { 'x-request-id': id }));
  await get(admin.api_key, '/api/admin/orders/7', 'admin-elsewhere');
  await get(key.api_key, '/api/v1/orders', 'agent-elsewhere');
  expect(of('admin-elsewhere')).toMatchObject([
    { caller: `admin:${admin.id}`, object: 'order:7', status: 403, code: 'admin_address_refused' },
  ]);
  expect(of('agent-elsewhere')).toMatchObject([
    { caller: `agent:${key.id}`, status: 403, code: 'agent_address_refused' },
  ]);
});

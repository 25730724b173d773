import { afterAll, describe, expect, test } from '@jest/globals';
import { countedAs } from '../../src/http/client-address.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { connectFeed } from '../support/feed-client.ts';
import { rawRequest, sendRaw, statusesIn } from '../support/raw-http.ts';

const LIMIT = 3;

const env = { PAY_RATE_LIMIT: `${LIMIT}`, REGISTER_RATE_LIMIT: `${LIMIT}`, AUTH_FAILURE_LIMIT: `${LIMIT}` };
/** A Corridor with the same settings behind one proxy. */
const [open, proxied] = await Promise.all([
  startCorridor({ env, worker: false }),
  startCorridor({ env: { ...env, TRUST_PROXY_HOPS: '1' }, worker: false }),
]);
afterAll(() => Promise.all([open.stop(), proxied.stop()]));

/** Every header that can name a client address, with a forged one. */
const forgedAddress = (address: string) => ({
  'x-forwarded-for': address,
  'x-real-ip': address,
  'x-client-ip': address,
  'x-forwarded-host': address,
  'true-client-ip': address,
  'cf-connecting-ip': address,
  forwarded: `for=${address}`,
});
const register = (corridor: TestCorridor, headers: Record<string, string>) =>
  corridor.anyone('POST', '/api/lp/register', {}, headers);

describe('without a proxy', () => {
  test('the client address is that of the connection, whatever the headers say', async () => {
    for (let turn = 0; turn < LIMIT; turn++)
      expect((await register(open, forgedAddress(`192.0.2.${turn}`))).status).toBe(400);
    for (const address of ['198.51.100.1', '127.0.0.1, 198.51.100.2', '', '::1', 'unknown'])
      expect((await register(open, forgedAddress(address))).status).toBe(429);
  });

  test('wrong keys on sockets and routes count together, and above the limit every key is refused', async () => {
    const agent = await open.newAgent();
    expect(
      (await open.as('wrong')('GET', '/api/v1/orders', undefined, forgedAddress('192.0.2.1'))).status,
    ).toBe(403);
    await expect(
      connectFeed(open.config.publicUrl, { key: 'wrong', headers: forgedAddress('192.0.2.2') }),
    ).rejects.toMatchObject({ status: 401 });
    expect(
      (await open.as('wrong')('GET', '/api/receipts/x', undefined, forgedAddress('192.0.2.3'))).status,
    ).toBe(404);
    for (const key of ['wrong', agent.key])
      expect(
        (await open.as(key)('GET', '/api/v1/orders', undefined, forgedAddress('192.0.2.4'))).status,
      ).toBe(429);
    await expect(
      connectFeed(open.config.publicUrl, { key: agent.key, headers: forgedAddress('192.0.2.5') }),
    ).rejects.toMatchObject({ status: 429 });
  });
});

describe('behind one proxy', () => {
  test('the entry that the proxy adds counts, and no entry before it', async () => {
    for (let turn = 0; turn < LIMIT; turn++)
      expect((await register(proxied, { 'x-forwarded-for': `192.0.2.${turn}, 198.51.100.1` })).status).toBe(
        400,
      );
    for (const forged of ['', '203.0.113.5', '127.0.0.1', 'x'.repeat(4_000), ', , ,', '198.51.100.2 '])
      expect((await register(proxied, { 'x-forwarded-for': `${forged}, 198.51.100.1` })).status).toBe(429);
    expect((await register(proxied, { 'x-forwarded-for': '198.51.100.2' })).status).toBe(400);
  });

  test('a header that was sent twice is read as one list, and its last entry counts', async () => {
    const twice = (last: string) =>
      rawRequest(
        [
          'POST /api/lp/register HTTP/1.1',
          'Host: corridor',
          'X-Forwarded-For: 203.0.113.9',
          `X-Forwarded-For: ${last}`,
          'Content-Length: 2',
          'Connection: close',
        ],
        '{}',
      );
    const statuses: number[] = [];
    for (let turn = 0; turn <= LIMIT; turn++)
      statuses.push(...statusesIn(await sendRaw(proxied.config.publicUrl, twice('198.51.100.9'))));
    expect(statuses).toEqual([400, 400, 400, 429]);
    expect(statusesIn(await sendRaw(proxied.config.publicUrl, twice('198.51.100.10')))).toEqual([400]);
  });

  test('all addresses of one IPv6 network count as one client', async () => {
    const agent = await proxied.newAgent();
    const from = async (address: string) =>
      (await agent.pay({ currency: 'XOF' }, { 'x-forwarded-for': address })).status;
    const statuses: number[] = [];
    for (const host of ['1', '2', 'ffff:ffff:ffff:ffff', 'a:b:c:d'])
      statuses.push(await from(`2001:db8:0:7${host.includes(':') ? ':' : '::'}${host}`));
    expect(statuses).toEqual([404, 404, 404, 429]);
    expect(await from('2001:db8:0:8::1')).toBe(404);
  });

  test('an invalid address counts as that of the connection', async () => {
    const statuses: number[] = [];
    for (const invalid of ['unknown', '_hidden', '%00', 'x'.repeat(10_000), "' or 1=1 --"])
      statuses.push((await register(proxied, { 'x-forwarded-for': invalid })).status);
    expect(statuses).toEqual([400, 400, 400, 429, 429]);
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['192.0.2.1:5000', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001::', '2001:db8:0:1::/64'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
  ['1::6:7:8', '1:0:0:0::/64'],
  ['', undefined],
  ['unknown', undefined],
  ['192.0.2.256', undefined],
  ['192.0.2', undefined],
  ['2001:db8::1::2', undefined],
  ['[192.0.2.1', undefined],
])('the address %j is counted as %j', (given, counted) => {
  expect(countedAs(given)).toBe(counted);
});

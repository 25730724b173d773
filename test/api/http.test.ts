import { describe, expect, test } from '@jest/globals';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({
  env: {
    CORS_ORIGINS: 'https://console.example, https://other.example',
    PAY_RATE_LIMIT: '2',
    TRUST_PROXY_HOPS: '1',
  },
  worker: false,
});

describe('browsers', () => {
  const preflight = (origin: string) =>
    corridor.anyone('OPTIONS', '/api/v1/pay', undefined, { origin, 'access-control-request-method': 'POST' });

  test('are allowed from the configured origins', async () => {
    for (const origin of ['https://console.example', 'https://other.example']) {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBe(origin);
      const { headers } = await corridor.anyone('GET', '/healthz', undefined, { origin });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
    }
  });

  test('are refused from any other origin', async () => {
    for (const origin of ['https://evil.example', 'https://console.example.evil.example', 'null']) {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
      const { headers } = await corridor.anyone('GET', '/healthz', undefined, { origin });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('every response', () => {
  test('has a request id: the caller’s own, or a new one', async () => {
    const own = await corridor.anyone('GET', '/healthz', undefined, { 'x-request-id': 'my-request-0001' });
    expect(own.headers.get('x-request-id')).toBe('my-request-0001');
    const odd = await corridor.anyone('GET', '/healthz', undefined, { 'x-request-id': 'a b' });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has the security headers, even if it is a refusal', async () => {
    const { status, headers } = await corridor.anyone('GET', '/nowhere');
    expect(status).toBe(404);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('a path', () => {
  test('that is unknown gets a 404', async () => {
    expect(await corridor.anyone('GET', '/api/v2/pay')).toMatchObject({
      status: 404,
      body: { error: 'Not found: there is no such path. /docs lists all' },
    });
  });
  test('with an unsupported method gets a 405 that lists the allowed methods', async () => {
    const { status, body, headers } = await corridor.anyone('DELETE', '/api/v1/pay');
    expect([status, body]).toEqual([405, { error: 'Method not allowed' }]);
    expect(headers.get('allow')).toContain('POST');
  });
});

test('behind one proxy the limit counts the address that the proxy saw, even if the caller names another', async () => {
  const agent = await corridor.newAgent();
  const from = async (address: string) =>
    (await agent.pay({ currency: 'XOF' }, { 'x-forwarded-for': address })).status;
  expect([await from('198.51.100.1'), await from('203.0.113.9, 198.51.100.1')]).toEqual([404, 404]);
  expect(await from('192.0.2.77, 198.51.100.1')).toBe(429);
  expect(await from('198.51.100.2')).toBe(404);
});

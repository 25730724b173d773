import { expect, test } from '@jest/globals';
import type { Context } from 'koa';
import { reportUntrustedProxy } from '../../src/api/middleware/untrusted-proxy.ts';

/** The warnings of a process that gets requests with these values of `X-Forwarded-For`. */
async function warnings(trustProxyHops: number, values: string[]): Promise<string[]> {
  const warned: string[] = [];
  const report = reportUntrustedProxy(
    { warn: (text: string) => void warned.push(text) } as never,
    trustProxyHops,
  );
  for (const value of values) await report({ get: () => value } as unknown as Context, async () => undefined);
  return warned;
}

test('a proxy that the settings do not name is reported once', async () => {
  expect(await warnings(0, ['', '192.0.2.1', '192.0.2.2'])).toEqual([
    expect.stringContaining('set TRUST_PROXY_HOPS'),
  ]);
});

test('nothing is reported without a proxy, or behind one that the settings name', async () => {
  expect(await warnings(0, ['', ''])).toEqual([]);
  expect(await warnings(1, ['192.0.2.1'])).toEqual([]);
});

import { beforeEach, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import type { Answer } from '../../../dev/http-client.ts';
import { connectFeed } from '../../support/feed-client.ts';
import type { Agent } from '../../support/parties.ts';
import { documentedRoutes } from '../../support/route-table.ts';
import { useCorridor } from '../../support/use-corridor.ts';

/** Callers without a key, and pages of other sites that use a browser. */
const PUBLIC = 5;
const FAILURES = 4;
const ROWS = 3;
const PAYMENTS = 3;

let last = 0;
let address: { 'x-forwarded-for': string };
const env = {
  PUBLIC_RATE_LIMIT: `${PUBLIC}`,
  AUTH_FAILURE_LIMIT: `${FAILURES}`,
  STRANGER_ROW_LIMIT: `${ROWS}`,
  PAY_RATE_LIMIT: `${PAYMENTS}`,
  TRUST_PROXY_HOPS: '1',
  CORS_ORIGINS: 'https://friend.example',
};
const corridor = await useCorridor({ env, worker: false });
const agent = await corridor.newAgent();
/** Each test calls from an address of its own. */
const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${++last}` });
beforeEach(() => {
  address = newAddress();
});

const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
const times = async (count: number, call: () => Promise<Answer>): Promise<number[]> => {
  const answers: Answer[] = [];
  for (let i = 0; i < count; i++) answers.push(await call());
  return statuses(answers);
};
const anyone = (method: string, path: string, body?: object, headers: object = {}) =>
  corridor.anyone(method, path, body, { ...address, ...headers });
const withAgentKey = () => agent.call('GET', '/api/v1/orders', undefined, address);
const registration = { xrpl_address: 'rSomebody', mpesa_phone: '+254700000009' };
const transaction = { chain: 'trx', symbol: 'usdt', to: 'TMyReceiveAddress', amount: 1 };

describe('the limit of an address without a key', () => {
  test('holds on every route that needs none, and not for health checks, other addresses or keys', async () => {
    expect(new Set(await times(PUBLIC, () => anyone('GET', '/api/lps')))).toEqual(new Set([200]));
    const open = (await documentedRoutes(corridor.anyone)).filter((route) => route.open);
    expect(open.length).toBeGreaterThan(5);
    for (const { method, path, example } of open) {
      const { status, headers } = await anyone(method, path, example);
      const isHealthCheck = ['/healthz', '/readyz'].includes(path);
      expect([path, status === 429]).toEqual([path, !isHealthCheck]);
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await withAgentKey()).status).toBe(200);
    expect((await corridor.anyone('GET', '/api/lps', undefined, newAddress())).status).toBe(200);
  });

  test.each(['/', '/docs', '/docs/errors', '/llms.txt', '/console'])(
    'holds for the page %s',
    async (path) => {
      const read = () => fetch(corridor.config.publicUrl + path, { headers: address });
      for (let i = 0; i < PUBLIC; i++) expect((await read()).status).toBe(200);
      expect((await read()).status).toBe(429);
    },
  );

  test('is not evaded by a key that no route has asked for', async () => {
    const read = () => corridor.as('nonsense')('GET', '/api/lps', undefined, address);
    expect(await times(PUBLIC + 1, read)).toEqual([...Array(PUBLIC).fill(200), 429]);
  });

  test('holds on routes with an optional key', async () => {
    const read = () => anyone('GET', '/api/orders/1');
    expect(await times(PUBLIC + 1, read)).toEqual([...Array(PUBLIC).fill(404), 429]);
  });

  test.each([
    ['/api/orders/1', 404, 'same-origin'],
    ['/api/orders/1', 404, 'cross-site'],
    ['/api/v1/orders', 403, 'cross-site'],
  ])('is not evaded by invented session cookies: %s, %i, %s', async (path, status, site) => {
    let guess = 0;
    const read = () => {
      const cookie = `corridor_session=${`${++guess}`.padStart(64, '0')}`;
      return anyone('GET', path, undefined, { cookie, 'sec-fetch-site': site });
    };
    expect(await times(PUBLIC + 1, read)).toEqual([...Array(PUBLIC).fill(status), 429]);
  });

  test('is not evaded by invented session cookies on the feed', async () => {
    const url = corridor.config.publicUrl;
    const connect = (guess: number) => {
      const cookie = `corridor_session=${`${guess}`.padStart(64, '0')}`;
      return connectFeed(url, { headers: { ...address, cookie, origin: url } }).then(
        () => 101,
        ({ status }) => status,
      );
    };
    const answers: number[] = [];
    for (let guess = 0; guess <= PUBLIC; guess++) answers.push(await connect(guess));
    expect(answers).toEqual([...Array(PUBLIC).fill(401), 429]);
  });
});

test('an address creates few rows in an hour without a key, over all routes', async () => {
  expect((await anyone('POST', '/sandbox/transactions', transaction)).status).toBe(201);
  expect((await anyone('POST', '/api/lp/register', registration)).status).toBe(201);
  expect((await anyone('POST', '/sandbox/transactions', transaction)).status).toBe(201);
  const { status, headers } = await anyone('POST', '/api/lp/register', registration);
  expect([status, headers.get('ratelimit-policy')]).toEqual([429, `"stranger-rows";q=${ROWS};w=3600`]);
  expect((await corridor.anyone('POST', '/sandbox/transactions', transaction, newAddress())).status).toBe(
    201,
  );
});

describe('requests without any key', () => {
  test('do not lock the address out, as a page full of images would', async () => {
    const from = [...Array(5)].map(newAddress);
    for (const [i, path] of ['/api/v1/orders', '/api/admin/orders', '/api/lp/guess/dashboard'].entries()) {
      const here = from[i];
      for (let turn = 0; turn < PUBLIC; turn++)
        expect([401, 403]).toContain((await corridor.anyone('GET', path, undefined, here)).status);
      expect((await corridor.admin('GET', '/api/admin/agent-keys', undefined, here)).status).toBe(200);
    }
  });

  test.each([
    ['', {}],
    [', nor does the cookie of an ended session', { cookie: `corridor_session=${'a'.repeat(64)}` }],
  ])('do not lock it out on the feed%s', async (_, cookie) => {
    const headers = { ...address, ...cookie };
    for (let turn = 0; turn <= FAILURES; turn++)
      await expect(connectFeed(corridor.config.publicUrl, { headers })).rejects.toMatchObject({
        status: 401,
      });
    expect((await withAgentKey()).status).toBe(200);
  });

  test('but wrong keys do', async () => {
    const guess = () => corridor.as('guess')('GET', '/api/v1/orders', undefined, address);
    expect(await times(FAILURES + 1, guess)).toEqual([...Array(FAILURES).fill(403), 429]);
    expect((await withAgentKey()).status).toBe(429);
  });

  test('do not use up the payments of an agent at the same address', async () => {
    const nobody = () => corridor.anyone('POST', '/api/v1/pay', {}, address);
    expect(await times(PAYMENTS + 1, nobody)).toEqual(Array(PAYMENTS + 1).fill(403));
    const other = await corridor.newAgent();
    const paid = (one: Agent) => times(PAYMENTS + 1, () => one.pay({ currency: 'XOF' }, address));
    expect(await paid(agent)).toEqual([...Array(PAYMENTS).fill(404), 429]);
    expect(await paid(other)).toEqual([...Array(PAYMENTS).fill(404), 429]);
  });
});

describe('a page of another site', () => {
  const FOREIGN = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];
  test.each(FOREIGN)('creates no rows through its visitors: %j', async (headers) => {
    for (const [path, body] of [
      ['/api/lp/register', registration],
      ['/sandbox/transactions', transaction],
    ] as const) {
      const answer = await anyone('POST', path, body, headers);
      expect([path, answer.status, answer.headers.get('x-error-code')]).toEqual([
        path,
        403,
        'origin_refused',
      ]);
    }
    // Nothing has counted for the visitor.
    expect((await anyone('POST', '/sandbox/transactions', transaction)).status).toBe(201);
  });

  test('of CORS_ORIGINS may', async () => {
    const friend = { origin: 'https://friend.example', 'sec-fetch-site': 'cross-site' };
    expect((await anyone('POST', '/sandbox/transactions', transaction, friend)).status).toBe(201);
  });

  test('opens no socket, and locks its visitor out with no wrong key', async () => {
    for (let turn = 0; turn <= FAILURES; turn++)
      await expect(
        connectFeed(corridor.config.publicUrl, {
          key: 'lp_guess',
          headers: { ...address, origin: 'https://evil.example' },
        }),
      ).rejects.toMatchObject({ status: 403 });
    expect((await withAgentKey()).status).toBe(200);
  });

  test('of this service or of CORS_ORIGINS opens one', async () => {
    const { lp_key } = (await anyone('POST', '/api/lp/register', registration)).body;
    for (const origin of ['https://friend.example', corridor.config.publicUrl]) {
      const url = `${corridor.config.publicUrl.replace(/^http/, 'ws')}/ws/orders?lp_key=${lp_key}`;
      const socket = new WebSocket(url, { headers: { origin } });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      socket.terminate();
    }
  });
});

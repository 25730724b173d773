import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { ADMIN_KEY } from '../support/corridor.ts';
import { rawRequest, sendRaw, statusesIn } from '../support/raw-http.ts';
import { documentedRoutes } from '../support/route-table.ts';
import { useCorridor } from '../support/use-corridor.ts';

const ALLOWED = 'https://console.example';
const FOREIGN = [
  'https://evil.example',
  'http://console.example',
  'https://console.example:444',
  'https://console.example.evil.example',
  'https://evil.example/https://console.example',
  'https://CONSOLE.EXAMPLE',
  'https://sub.console.example',
  'null',
  '*',
  'file://',
  '',
];

const corridor = await useCorridor({
  env: { CORS_ORIGINS: ALLOWED, SIGN_IN_RATE_LIMIT: '1' },
  worker: false,
});
const base = corridor.config.publicUrl;
const agent = await corridor.newAgent();
const lp = await corridor.newLp();

const expectSecurityHeaders = (what: [string, number], headers: Headers) => {
  expect([what, headers.get('x-request-id')]).toEqual([what, expect.stringMatching(/^[\w-]{8,64}$/)]);
  const refused = what[1] >= 400;
  expect([what, headers.get('x-error-code')]).toEqual([
    what,
    refused ? expect.stringMatching(/^\w+$/) : null,
  ]);
  const help = refused ? `</docs/errors#${headers.get('x-error-code')}>; rel="help"` : null;
  expect([what, headers.get('link')]).toEqual([what, help]);
  const policy = headers.get('content-security-policy') ?? '';
  expect([what, policy]).toEqual([what, expect.stringContaining("default-src 'none'")]);
  expect([what, policy]).toEqual([what, expect.stringContaining("frame-ancestors 'none'")]);
  expect([what, policy.includes('unsafe')]).toEqual([what, false]);
  expect([what, headers.get('x-content-type-options')]).toEqual([what, 'nosniff']);
  expect([what, headers.get('cache-control')]).toEqual([what, expect.stringContaining('no-store')]);
  for (const name of ['x-powered-by', 'server']) expect([what, headers.get(name)]).toEqual([what, null]);
};

/** Calls every route with each kind of key, and paths and methods that no route has. */
async function* allAnswers(origin: string): AsyncGenerator<[string, Response]> {
  const ask = async (method: string, path: string, key?: string): Promise<[string, Response]> => {
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const headers = { origin, 'content-type': 'application/json', ...authorization };
    const body = method === 'POST' ? { body: '{}' } : {};
    return [`${method} ${path}`, await fetch(base + path, { method, headers, ...body })];
  };
  for (const { method, path } of await documentedRoutes(corridor.anyone)) {
    const filled = path.replace('{lp_key}', lp.key).replace(/\{\w+\}/g, '999999');
    for (const key of [undefined, agent.key, lp.key, ADMIN_KEY]) yield ask(method, filled, key);
    yield ask('OPTIONS', filled);
    if (method === 'GET') yield ask('HEAD', filled);
  }
  for (const path of [
    '/docs',
    '/logo.svg',
    '/docs/errors',
    '/docs/plain.css',
    '/docs/start.js',
    '/docs/swagger-ui.css',
    '/console',
    '/console/app.js',
    '/console/app.css',
    '/console/nowhere.js',
    '/nowhere',
    '/',
    '/api/v1/%ff',
  ])
    yield ask('GET', path);
  for (const method of ['DELETE', 'PUT', 'PATCH', 'PURGE', 'PROPFIND']) yield ask(method, '/api/v1/pay');
}

describe('every response', () => {
  test('to a foreign origin has the security headers, and no page can read it', async () => {
    const seen = new Set<number>();
    for await (const [what, { status, headers }] of allAnswers(FOREIGN[0] as string)) {
      seen.add(status);
      expectSecurityHeaders([what, status], headers);
      for (const name of ['allow-origin', 'allow-credentials', 'allow-methods', 'allow-headers'])
        expect([what, name, headers.get(`access-control-${name}`)]).toEqual([what, name, null]);
      expect([what, headers.get('vary')]).toEqual([what, expect.stringMatching(/origin/i)]);
    }
    for (const status of [200, 201, 400, 401, 403, 404, 405, 429]) expect(seen).toContain(status);
  });

  test('to a refused upgrade has the security headers', async () => {
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: x',
    ];
    for (const [path, status] of [
      ['/ws/orders', 401],
      ['/ws/nowhere', 404],
      [`/ws/orders?lp_key=${lp.key}&cursor=x`, 400],
    ] as const) {
      const answer = await sendRaw(base, rawRequest([`GET ${path} HTTP/1.1`, 'Host: corridor', ...upgrade]));
      expect([path, statusesIn(answer)]).toEqual([path, [status]]);
      const [head = ''] = answer.split('\r\n\r\n');
      const headers = head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(/: (.*)/s, 2) as [string, string]);
      expectSecurityHeaders([path, status], new Headers(headers));
    }
  });
});

test('the response to an accepted upgrade has the request id that the log uses', async () => {
  const url = `${base.replace('http', 'ws')}/ws/orders`;
  const headers = { authorization: `Bearer ${lp.key}`, 'x-request-id': 'socket-of-a-test' };
  const socket = new WebSocket(url, { headers });
  const [answer] = (await once(socket, 'upgrade')) as [IncomingMessage];
  expect(answer.headers['x-request-id']).toBe('socket-of-a-test');
  socket.terminate();
});

/** The headers with which every response begins, in their exact spelling and order. */
const HEAD = `x-request-id: request-of-a-test
Content-Security-Policy: default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'
Cross-Origin-Opener-Policy: same-origin
Cross-Origin-Resource-Policy: same-origin
Origin-Agent-Cluster: ?1
Referrer-Policy: no-referrer
Strict-Transport-Security: max-age=31536000; includeSubDomains
X-Content-Type-Options: nosniff
X-DNS-Prefetch-Control: off
X-Download-Options: noopen
X-Frame-Options: SAMEORIGIN
X-Permitted-Cross-Domain-Policies: none
X-XSS-Protection: 0
cache-control: no-store
Vary: Origin
`;

const EXPOSED =
  'Access-Control-Expose-Headers: X-Request-Id,X-Error-Code,Link,Retry-After,Idempotent-Replayed,RateLimit,RateLimit-Policy,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset';

test.each([
  ['a client without an origin', [], []],
  ['a foreign page', [`Origin: ${FOREIGN[0]}`], []],
  [
    'a page of an allowed origin',
    [`Origin: ${ALLOWED}`],
    [`Access-Control-Allow-Origin: ${ALLOWED}`, EXPOSED],
  ],
])('the response to %s has exactly the recorded headers', async (_caller, sent, added) => {
  const request = ['GET /api/orders/999999 HTTP/1.1', 'Host: corridor', 'X-Request-Id: request-of-a-test'];
  const answer = await sendRaw(base, rawRequest([...request, 'Connection: close', ...sent]));
  const [head = ''] = answer.split('\r\n\r\n');
  const [status, ...lines] = head.split('\r\n');
  expect(status).toBe('HTTP/1.1 404 Not Found');
  const ending = [
    'x-error-code: not_found',
    'link: </docs/errors#not_found>; rel="help"',
    'Content-Type: application/json; charset=utf-8',
    'Content-Length: 21',
    'Date: ',
    'Connection: close',
  ];
  expect(lines.map((line) => line.replace(/^(Date: ).*/, '$1'))).toEqual([
    ...HEAD.trim().split('\n'),
    ...added,
    ...ending,
  ]);
});

describe('a page of another origin', () => {
  test.each(FOREIGN)('(%s) cannot read responses', async (origin) => {
    const preflight = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    for (const [method, headers] of [
      ['OPTIONS', preflight],
      ['GET', { origin }],
    ] as const) {
      const answer = await fetch(`${base}/api/v1/orders`, { method, headers });
      const granted = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-allow'));
      expect([method, granted]).toEqual([method, []]);
    }
  });

  test('cannot send cookies, even from an allowed origin', async () => {
    const { headers } = await fetch(`${base}/healthz`, { headers: { origin: ALLOWED } });
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('set-cookie')).toBeNull();
  });
});

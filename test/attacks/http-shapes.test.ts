import { describe, expect, test } from '@jest/globals';
import { rawConnection, rawRequest, sendRaw, statusesIn } from '../support/raw-http.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ worker: false });
const base = corridor.config.publicUrl;
const [agent, other] = [await corridor.newAgent(), await corridor.newAgent()];

const HOST = 'Host: corridor';
const CLOSE = 'Connection: close';
const key = () => `Authorization: Bearer ${agent.key}`;
const list = (...headers: string[]) => rawRequest(['GET /api/v1/orders HTTP/1.1', HOST, ...headers, CLOSE]);
/** A request that is hidden in a body. A careless proxy or server would handle it as a separate request. */
const HIDDEN = rawRequest(['GET /healthz HTTP/1.1', HOST, CLOSE]);
const post = (headers: string[], body: string) =>
  rawRequest(['POST /api/lp/register HTTP/1.1', HOST, 'Content-Type: application/json', ...headers], body);

describe('a request with an ambiguous end', () => {
  const length = `Content-Length: ${HIDDEN.length + 5}`;
  const chunked = 'Transfer-Encoding: chunked';
  const body = `0\r\n\r\n${HIDDEN}`;
  test.each<[string, string[]]>([
    ['a length and chunks', [length, chunked]],
    ['chunks and a length', [chunked, length]],
    ['a length of nothing and chunks', ['Content-Length: 0', chunked]],
    ['two lengths', ['Content-Length: 5', length]],
    ['two lengths in one header', [`Content-Length: 5, ${HIDDEN.length + 5}`]],
    ['a signed length', [`Content-Length: +${HIDDEN.length + 5}`]],
    ['a negative length', ['Content-Length: -5']],
    ['a length in hexadecimal', ['Content-Length: 0x5']],
    ['a length with a space in it', ['Content-Length: 5 5']],
    ['an overflowing length', [`Content-Length: ${'9'.repeat(40)}`]],
    ['chunks that are not last', ['Transfer-Encoding: chunked, identity']],
    ['chunks by another name', ['Transfer-Encoding: xchunked', length]],
    ['chunks behind a tab', ['Transfer-Encoding:\tchunked', length]],
    ['chunks in a second header', ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked', length]],
    ['a space before the colon', ['Transfer-Encoding : chunked', length]],
    ['a header that is folded', ['Transfer-Encoding:', ' chunked', length]],
    ['a vertical tab', ['Transfer-Encoding: \x0bchunked', length]],
    ['a NUL', ['Transfer-Encoding: chunked\0', length]],
    ['a bare line feed', [`X-A: b\nTransfer-Encoding: chunked`, length]],
    ['a bare carriage return', [`X-A: b\rTransfer-Encoding: chunked`, length]],
  ])('(%s) is refused, and nothing after it is answered', async (_, headers) => {
    const answer = await sendRaw(base, post(headers, body));
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).not.toContain('"status":"ok"');
  });

  test.each([
    ['a size that is not a number', 'z\r\nabc\r\n0\r\n\r\n'],
    ['a signed size', '+3\r\nabc\r\n0\r\n\r\n'],
    ['a size with a prefix', '0x3\r\nabc\r\n0\r\n\r\n'],
    ['a size that is too small', '1\r\nabc\r\n0\r\n\r\n'],
    ['an overflowing size', `${'f'.repeat(17)}\r\nabc\r\n0\r\n\r\n`],
  ])('(chunks with %s) is refused', async (_, chunks) => {
    expect(statusesIn(await sendRaw(base, post([chunked], chunks + HIDDEN)))).toEqual([400]);
  });

  test('that is followed by a second request gets two responses', async () => {
    const two = rawRequest(['GET /healthz HTTP/1.1', HOST]) + HIDDEN;
    expect(statusesIn(await sendRaw(base, two))).toEqual([200, 200]);
  });
});

describe('bytes that are not a request', () => {
  test.each([
    ['no method', 'x\r\n\r\n'],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two hosts', `GET /healthz HTTP/1.1\r\n${HOST}\r\nHost: other\r\nConnection: close\r\n\r\n`],
    ['another protocol', 'SSH-2.0-client\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a NUL in a header', list('X-A: a\0b')],
    ['a NUL in the path', rawRequest(['GET /api/v1/or\0ders HTTP/1.1', HOST, CLOSE])],
    ['a line break in a header’s name', list('X-A\n: b')],
    ['a space in the path', rawRequest(['GET /api/v1/orders /x HTTP/1.1', HOST, CLOSE])],
  ])('(%s) get a 400 in the usual form, and the connection ends', async (_, bytes) => {
    const answer = await sendRaw(base, bytes);
    expect(statusesIn(answer)).toEqual([400]);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({ error: 'Bad request' });
    for (const header of ['x-content-type-options: nosniff', "content-security-policy: default-src 'none'"])
      expect(head.toLowerCase()).toContain(header);
  });

  test('and headers that are too long are refused while they arrive', async () => {
    const answer = await sendRaw(base, list(`X-A: ${'a'.repeat(64 * 1024)}`));
    expect(statusesIn(answer)).toEqual([431]);
    const many = list(...Array.from({ length: 5_000 }, (_, i) => `X-${i}: a`));
    expect(statusesIn(await sendRaw(base, many))).toEqual([431]);
  });

  test('CONNECT opens no tunnel', async () => {
    expect(await sendRaw(base, rawRequest(['CONNECT 127.0.0.1:5432 HTTP/1.1', HOST]))).toBe('');
  });
});

describe('the key of a request', () => {
  const statusOf = async (...headers: string[]) => statusesIn(await sendRaw(base, list(...headers)))[0];
  test('is its first key; later ones are ignored', async () => {
    const wrong = 'Authorization: Bearer wrong';
    expect(await statusOf(key(), wrong)).toBe(200);
    expect(await statusOf(wrong, key())).toBe(403);
    expect(await statusOf(wrong, `authorization: Bearer ${agent.key}`)).toBe(403);
  });
  test('is one token after one scheme', async () => {
    const [mine, its] = [agent.key, other.key];
    for (const value of [`Bearer ${mine}, Bearer ${its}`, `Bearer ${mine} ${its}`, `Bearer  ${mine};x`, mine])
      expect([value, await statusOf(`Authorization: ${value}`)]).toEqual([value, 403]);
    for (const value of [`bearer ${mine}`, `BEARER   ${mine}`])
      expect([value, await statusOf(`Authorization: ${value}`)]).toEqual([value, 200]);
  });
  test('is not read from the URL', async () => {
    for (const query of [
      `?access_token=${agent.key}`,
      `?authorization=Bearer%20${agent.key}`,
      `?key=${agent.key}`,
    ]) {
      expect((await corridor.anyone('GET', `/api/v1/orders${query}`)).status).toBe(403);
    }
  });
});

describe('a path', () => {
  const get = async (path: string) => {
    const answer = await sendRaw(base, rawRequest([`GET ${path} HTTP/1.1`, HOST, key(), CLOSE]));
    return statusesIn(answer)[0];
  };
  test.each([
    '//api/admin/orders',
    '/api//admin/orders',
    '/api/admin/orders/',
    '/API/ADMIN/ORDERS',
    '/api/./admin/orders',
    '/api/v1/../admin/orders',
    '/api/v1/%2e%2e/admin/orders',
    '/api/v1/..%2fadmin/orders',
    '/api/admin%2forders',
    '/api/admin/orders;/x',
    '/api/admin/orders%00',
    '/api/admin/orders%0d%0aX-A:%20b',
    '/api/admin/orders%',
    '/api/admin/orders%ff',
    '/api/admin/orders?',
    '/docs/../api/admin/orders',
    '/docs/..%2f..%2fpackage.json',
    'http://other/api/admin/orders',
    `/${'a'.repeat(10_000)}`,
    '/__proto__',
    '/api/v1/status/__proto__',
    '/api/v1/status/constructor',
  ])('%s does not bypass authentication', async (path) => {
    expect([400, 403, 404]).toContain(await get(path));
  });
  test.each(['%00', '%0d%0a', '..%2f..%2fsecrets.json', '%ff', '%', "'", '%ed%a0%80'])(
    'parameter %s finds nothing',
    async (text) => {
      for (const path of ['/api/receipts/', '/api/orders/', '/api/v1/status/'])
        expect([path, [400, 404].includes((await get(path + text)) ?? 0)]).toEqual([path, true]);
      expect([400, 401, 404]).toContain(await get(`/api/lp/${text}/dashboard`));
    },
  );
  test('that no URL parser accepts opens no socket and causes no 500', async () => {
    for (const path of ['//', '///', '//x:y/', '/ws/orders?lp_key=%00', '/ws/orders?lp_key=%']) {
      const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
      const bytes = rawRequest([
        `GET ${path} HTTP/1.1`,
        HOST,
        ...upgrade,
        'Sec-WebSocket-Key: dGhlIHNhbXBsZQ==',
      ]);
      expect([401, 404]).toContain(statusesIn(await sendRaw(base, bytes))[0]);
    }
  });
});

test('an upgrade to another protocol is ignored, and the request is answered', async () => {
  const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
  const connection = rawConnection(base);
  connection.socket.end(rawRequest(['GET /healthz HTTP/1.1', HOST, ...offer]));
  expect(statusesIn(await connection.closed)).toEqual([200]);
});

test('an unknown Expect header does not delay the response', async () => {
  expect(statusesIn(await sendRaw(base, list(key(), 'Expect: the-unexpected')))).toEqual([200]);
});

describe('a query', () => {
  test.each([
    'limit=1&limit=2',
    'limit[]=1',
    'limit[$gt]=1',
    'limit=1e1',
    'limit=NaN',
    'limit=Infinity',
    'limit=-0',
    'limit=%00',
    'limit=0x10',
    'limit=9007199254740993',
    'cursor=99999999999999999999',
    'cursor=1&cursor=2',
    'cursor=-1',
    'cursor=1e3',
    'cursor=__proto__',
    'status=__proto__',
    'status=constructor',
    'status=matched&status=claimed',
    'currency=%00',
    'currency=KES&currency=UGX',
    "currency=KES'--",
    'created_from=%00',
    'created_from=0000-00-00',
    'created_from=275760-09-13T00:00:00.001Z',
    'created_from=1e308',
    '__proto__[limit]=1',
    '__proto__=1&constructor=2&prototype=3',
    `x=${'y'.repeat(8_000)}`,
    Array.from({ length: 900 }, (_, i) => `a${i}=1`).join('&'),
  ])('%.60s never causes a 500', async (query) => {
    const { status, body } = await agent.call('GET', `/api/v1/orders?${query}`);
    expect([200, 400]).toContain(status);
    if (status === 200) expect(body).toEqual({ orders: [], next_cursor: null });
  });
  test.each([
    'order_id=1&order_id=2',
    'order_id=9007199254740993',
    'order_id=1e400',
    'order_id=%00',
    'order_id=-0',
    'order_id=1&cursor=1',
    'cursor=%00',
  ])('%s never causes a 500 in the list of deliveries', async (query) => {
    expect([400, 404]).toContain((await agent.call('GET', `/api/v1/webhook-deliveries?${query}`)).status);
  });
});

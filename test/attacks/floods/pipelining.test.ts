import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type RunningServer, startServer } from '../../../src/http/http-server.ts';
import { MOST_WAITING } from '../../../src/http/one-at-a-time.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { rawConnection, rawRequest, statusesIn } from '../../support/raw-http.ts';

/** One connection sends many requests before it reads a response. */

/** The API's server, with a handler that responds when the test says so. */
let running: RunningServer;
let base: string;
let open: { path: string; respond: () => void }[];
/** The paths of all requests that reached the handler. */
let served: string[];
beforeEach(async () => {
  open = [];
  served = [];
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    const path = String(request.url);
    served.push(path);
    open.push({ path, respond: () => response.end(path) });
  };
  running = await startServer(handler, '127.0.0.1', 0);
  base = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  running.server.closeAllConnections();
  await running.stop();
});

const get = (path: string, ...headers: string[]) =>
  rawRequest([`GET ${path} HTTP/1.1`, 'Host: corridor', ...headers]);
const numbered = (count: number) => Array.from({ length: count }, (_, i) => get(`/${i}`)).join('');
const respondToNext = async () => {
  await eventually(async () => open.length > 0);
  open.shift()?.respond();
};
const connected = async () => {
  const connection = rawConnection(base);
  await once(connection.socket, 'connect');
  return connection;
};

test('a connection has one request served at a time, in order', async () => {
  const { socket, closed } = await connected();
  socket.write(numbered(MOST_WAITING) + get('/last', 'Connection: close'));
  const paths = [...Array.from({ length: MOST_WAITING }, (_, i) => `/${i}`), '/last'];
  for (const path of paths) {
    await eventuallyEquals(async () => open.map((request) => request.path).join(), path);
    await respondToNext();
  }
  const answer = await closed;
  expect(statusesIn(answer)).toEqual(paths.map(() => 200));
  expect([...answer.matchAll(/\r\n\r\n(\/(\d|last))/g)].map(([, path]) => path)).toEqual(paths);
});

test('of 2,000 requests in one piece, a few wait, and the rest is refused with the connection', async () => {
  const { socket, closed } = await connected();
  socket.write(numbered(2_000));
  let isClosed = false;
  closed.then(() => {
    isClosed = true;
  });
  await eventually(async () => {
    open.shift()?.respond();
    return isClosed;
  });
  const answer = await closed;
  expect(statusesIn(answer)).toEqual([...Array(1 + MOST_WAITING).fill(200), 429]);
  expect(answer).toContain('wait for responses before you send more');
  expect(answer).toContain('connection: close');
  expect(served).toEqual(Array.from({ length: 1 + MOST_WAITING }, (_, i) => `/${i}`));
});

test('others are served meanwhile', async () => {
  const { socket } = await connected();
  socket.write(numbered(2_000));
  await eventuallyEquals(async () => served.join(), '/0');
  const other = await connected();
  other.socket.write(get('/other', 'Connection: close'));
  await eventuallyEquals(async () => served.join(), '/0,/other');
  open.find(({ path }) => path === '/other')?.respond();
  expect(statusesIn(await other.closed)).toEqual([200]);
  socket.destroy();
});

test('the waiting requests of a client that has left are not served', async () => {
  const { socket, closed } = await connected();
  socket.write(numbered(5));
  await eventuallyEquals(async () => served.join(), '/0');
  socket.destroy();
  await closed;
  const connections = () =>
    new Promise<number>((resolve) => running.server.getConnections((_, count) => resolve(count)));
  await eventuallyEquals(connections, 0);
  expect(served).toEqual(['/0']);
});

test('a client that reads each response before its next request may send any number', async () => {
  const connection = await connected();
  for (let i = 0; i < 3 * MOST_WAITING; i++) {
    connection.socket.write(get(`/${i}`));
    await respondToNext();
    await eventually(async () => statusesIn(connection.received()).length === i + 1);
  }
  expect(new Set(statusesIn(connection.received()))).toEqual(new Set([200]));
  connection.socket.destroy();
});

test('bodies of waiting requests arrive whole', async () => {
  const bodies: string[] = [];
  const echo = await startServer(
    async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      bodies.push(body);
      response.end('taken');
    },
    '127.0.0.1',
    0,
  );
  const connection = rawConnection(`http://127.0.0.1:${(echo.server.address() as AddressInfo).port}`);
  const large = 'x'.repeat(300_000);
  for (const body of ['first', large, 'last'])
    connection.socket.write(
      rawRequest(['POST / HTTP/1.1', 'Host: corridor', `Content-Length: ${body.length}`], body),
    );
  await eventually(async () => statusesIn(connection.received()).length === 3);
  expect(bodies).toEqual(['first', large, 'last']);
  connection.socket.destroy();
  await echo.stop();
});

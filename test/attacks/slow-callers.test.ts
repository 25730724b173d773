import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startServer } from '../../src/http/http-server.ts';
import { startApi } from '../../src/service/start-api.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import { type RawConnection, rawConnection, rawRequest, statusesIn } from '../support/raw-http.ts';

/** More than all buffers between the two ends of a connection can hold. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);
const HOST = 'Host: corridor';

let aborted = 0;
/** The API's server with short timeouts, and a handler that reads the body and sends a small or a large response. */
const running = await startServer(
  async (request, response) => {
    try {
      for await (const _ of request);
      response.end(request.url === '/large' ? LARGE : 'taken');
    } catch {
      aborted += 1;
    }
  },
  '127.0.0.1',
  0,
  { headers: 1_000, request: 2_000, idle: 3_000 },
);
const base = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`;
afterAll(() => running.stop());

/** Sends `text` every 50 ms until the server closes the connection. Returns what the server has sent. */
async function drip({ socket, closed }: RawConnection, text: string): Promise<string> {
  const timer = setInterval(() => socket.writable && socket.write(text), 50);
  return closed.finally(() => clearInterval(timer));
}

const connected = async () => {
  const connection = rawConnection(base);
  await once(connection.socket, 'connect');
  return connection;
};
const openConnections = () =>
  new Promise<number>((resolve, reject) =>
    running.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe('a caller is disconnected if it', () => {
  test('sends its headers slowly', async () => {
    const connection = await connected();
    connection.socket.write(`GET / HTTP/1.1\r\n${HOST}\r\nX-A: `);
    const answer = await drip(connection, 'a');
    expect(statusesIn(answer)).toEqual([408]);
    expect(answer).toContain('{"error":"The request took too long to arrive"}');
  });

  test('sends many headers slowly', async () => {
    const connection = await connected();
    connection.socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    expect(statusesIn(await drip(connection, 'X-A: b\r\n'))).toEqual([408]);
  });

  test('sends nothing', async () => {
    expect(statusesIn(await (await connected()).closed)).toEqual([408]);
  });

  test.each([
    ['body', 'Content-Length: 100000', 'a'],
    ['chunks', 'Transfer-Encoding: chunked', '1\r\na\r\n'],
  ])('sends its %s slowly', async (_, header, piece) => {
    const before = aborted;
    const connection = await connected();
    connection.socket.write(rawRequest(['POST / HTTP/1.1', HOST, header]));
    expect(statusesIn(await drip(connection, piece))).toEqual([408]);
    await eventually(async () => aborted > before);
  });

  test('sends the headers of its second request slowly', async () => {
    const connection = await connected();
    connection.socket.write(rawRequest(['GET / HTTP/1.1', HOST]));
    await eventually(async () => connection.received().includes('taken'));
    connection.socket.write('GET / HTTP/1.1\r\nX-A: ');
    expect(statusesIn(await drip(connection, 'a'))).toEqual([200, 408]);
  });

  test('does not read its response', async () => {
    const { socket } = await connected();
    socket.pause();
    socket.write(rawRequest(['GET /large HTTP/1.1', HOST]));
    await eventually(openConnections);
    await eventually(async () => (await openConnections()) === 0);
    socket.destroy();
  });
});

test('others get responses while many callers are slow, and all slow ones are disconnected', async () => {
  const slow = await Promise.all(Array.from({ length: 200 }, connected));
  for (const { socket } of slow) socket.write('GET / HTTP/1.1\r\nX-A: ');
  const answer = await fetch(`${base}/`);
  expect([answer.status, await answer.text()]).toEqual([200, 'taken']);
  const answers = await Promise.all(slow.map(({ closed }) => closed));
  expect(answers.map(statusesIn)).toEqual(slow.map(() => [408]));
});

test('the default limits are seconds, not minutes', async () => {
  const corridor = await startCorridor({ worker: false });
  try {
    await corridor.stopApi();
    const { server, stop } = await startApi(corridor.shared);
    try {
      const { headersTimeout, requestTimeout, timeout } = server;
      expect({ headersTimeout, requestTimeout, timeout }).toEqual({
        headersTimeout: 10_000,
        requestTimeout: 60_000,
        timeout: 90_000,
      });
      // The limits are only as precise as Node's check interval, which is 30 seconds by default.
      expect(server).toHaveProperty('connectionsCheckingInterval', 2_000);
    } finally {
      await stop();
    }
  } finally {
    await corridor.stop();
  }
});

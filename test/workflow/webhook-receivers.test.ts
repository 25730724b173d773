import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { createWebhookSender } from '../../src/adapters/webhook-http.ts';

const servers: Server[] = [];
/** Hostile receivers, against the sender that the workers use. */
const send = createWebhookSender({ allowPrivate: true });
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => send.close());

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const post = (url: string) => send({ url, body: '{}', headers: { 'content-type': 'application/json' } });
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

test.each([301, 302, 307, 308])(
  'a redirect (%d) counts as a response and is not followed',
  async (status) => {
    const asked: string[] = [];
    const url = await receiver((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await post(url)).toMatchObject({ status, error: null });
    // A second request over the same connection: any effect of the first would have arrived before it.
    await post(`${url}second`);
    expect(asked).toEqual(['/', '/second']);
  },
);

test('a receiver that resets the connection has not responded, unless its status arrived before', async () => {
  const before = await receiver(({ socket }) => socket.resetAndDestroy());
  expect(await post(before)).toMatchObject({
    status: null,
    error: expect.stringMatching(/hang up|ECONNRESET/),
  });
  const after = await receiver(({ socket }, response) => {
    response.writeHead(200);
    response.write('a', () => socket.resetAndDestroy());
  });
  expect(await post(after)).toMatchObject({ status: 200, error: null });
});

test('a receiver that switches to another protocol has not responded', async () => {
  // For such an answer Node emits neither a response nor an error.
  const url = await receiver(({ socket }) => {
    socket.write('HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  expect(await post(url)).toMatchObject({
    status: null,
    error: 'the connection ended without an answer',
  });
});

test('a receiver that sends its headers or body byte by byte is cut off', async () => {
  const drip = (write: () => void, socket: Socket) => {
    const timer = setInterval(write, 200);
    return closed(socket).finally(() => clearInterval(timer));
  };
  let headCut: Promise<void> | undefined;
  const head = await receiver(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
    headCut = drip(() => socket.write('a'), socket);
  });
  let bodyCut: Promise<void> | undefined;
  const body = await receiver(({ socket }, response) => {
    response.writeHead(200);
    bodyCut = drip(() => response.write('a'), socket);
  });
  const [fromHead, fromBody] = await Promise.all([post(head), post(body)]);
  expect(fromHead).toMatchObject({ status: null, error: expect.stringMatching(/no answer within/) });
  expect(fromBody).toMatchObject({ status: 200, error: null });
  await Promise.all([headCut, bodyCut]);
});

test('a receiver that holds back the rest of its body has answered: the status decides', async () => {
  const url = await receiver((_, response) => {
    response.writeHead(500);
    response.write('the beginning');
  });
  expect(await post(url)).toMatchObject({ status: 500, body: { text: 'the beginning', isCut: true } });
});

test('the body of a response is returned', async () => {
  const url = await receiver((_, response) => response.end('thank you'));
  expect(await post(url)).toMatchObject({ status: 200, body: { text: 'thank you', isCut: false } });
});

test('an endless response is cut off early', async () => {
  let sent = 0;
  let cut: Promise<void> | undefined;
  const chunk = Buffer.alloc(16 * 1024, 'a');
  const url = await receiver(({ socket }, response) => {
    cut = closed(socket);
    response.writeHead(200);
    const pour = () => {
      while (!socket.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on('drain', pour);
    pour();
  });
  const { status, body } = await post(url);
  expect([status, body]).toEqual([200, { text: 'a'.repeat(4_096), isCut: true }]);
  await cut;
  // 64 KiB, and the contents of the sockets' buffers.
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});

import type { LookupAddress } from 'node:dns';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, isIP, type LookupFunction, type Server, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { createWebhookSender } from '../../src/adapters/webhook-http.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { INVALID_CALLBACKS, PRIVATE_NAMES, PRIVATE_URLS } from '../support/private-urls.ts';

/** The addresses to which sockets of this process have tried to connect. */
const attempts: string[] = [];
const originalConnect = Socket.prototype.connect;
beforeAll(() => {
  // The last step before the system call: a socket connects to the address that it reports here.
  Socket.prototype.connect = function (this: Socket, ...args: never[]) {
    this.on('connectionAttempt', (address: string) => {
      attempts.push(address);
      // If the filter is broken, the test fails here, before it connects to another machine.
      if (!/^(127\.|::1$)/.test(address)) throw new Error(`A test was about to connect to ${address}`);
    });
    return (originalConnect as (...args: never[]) => Socket).apply(this, args);
  } as typeof originalConnect;
});
afterAll(() => {
  Socket.prototype.connect = originalConnect;
});
beforeEach(() => {
  attempts.length = 0;
});

/** A resolver with scripted answers. */
function resolver(answer: (name: string) => string[]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, options, callback) => {
    asked.push(name);
    const addresses = answer(name).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const [first] = addresses;
    if (options.all) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
  return { lookup, asked };
}

/** Public addresses. No test may connect to them: see `interceptConnections`. */
const PUBLIC = ['93.184.215.14', '168.63.129.17', '223.255.254.1', '2606:4700:10::6814:179a'];
const NOT_CONNECTED = 'this test connects to nothing';

/**
 * Replaces `connect` until `restore` is called: sockets resolve the name but never connect. `connected` lists the
 * addresses.
 */
function interceptConnections(): { connected: string[]; restore: () => void } {
  const connected: string[] = [];
  const before = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    // Node's own clients pass the options as the first element of a list.
    const [{ host = '', lookup }] = args.flat() as [{ host?: string; lookup?: LookupFunction }];
    // A connecting socket buffers what is written to it.
    Object.assign(this, { connecting: true });
    // The caller attaches its handlers only after `connect` returns.
    const end = (error: Error, addresses: string[] = []) =>
      setImmediate(() => {
        connected.push(...addresses);
        this.destroy(error);
      });
    if (isIP(host)) end(new Error(NOT_CONNECTED), [host]);
    else if (!lookup) end(new Error(`${host} would be resolved by the system`));
    else
      lookup(host, { all: true }, (error, found) => {
        if (error) end(error);
        else
          end(
            new Error(NOT_CONNECTED),
            (found as LookupAddress[]).map(({ address }) => address),
          );
      });
    return this;
  } as typeof before;
  return {
    connected,
    restore: () => {
      Socket.prototype.connect = before;
    },
  };
}

const webhook = (url: string) => ({ url, body: '{}', headers: { 'content-type': 'application/json' } });

describe('the sender, with private networks not allowed', () => {
  const refused = { status: null, error: 'the address is not a public one' };

  test('the list of private addresses is not empty', () => {
    expect(new Set(PRIVATE_URLS).size).toBe(PRIVATE_URLS.length);
    expect(PRIVATE_URLS.length + Object.keys(PRIVATE_NAMES).length).toBeGreaterThanOrEqual(60);
  });

  test.each(PRIVATE_URLS)('connects to nothing for %s', async (url) => {
    const send = createWebhookSender({ allowPrivate: false });
    try {
      for (const address of [url, url.replace(/^https/i, 'http')])
        expect(await send(webhook(address))).toMatchObject(refused);
      expect(attempts).toEqual([]);
    } finally {
      send.close();
    }
  });

  test.each(Object.keys(PRIVATE_NAMES))('connects to nothing for the name %s', async (name) => {
    const { lookup, asked } = resolver((given) => PRIVATE_NAMES[given] ?? []);
    const send = createWebhookSender({ allowPrivate: false, lookup });
    try {
      expect(await send(webhook(`https://${name}/`))).toMatchObject(refused);
      expect([asked, attempts]).toEqual([[name], []]);
    } finally {
      send.close();
    }
  });

  test.each(PUBLIC.flatMap((address) => [`http ${address}`, `https ${address}`]))(
    'connects to exactly the address that it checked, %s, even if the name changes afterwards',
    async (pair) => {
      const [scheme, address = ''] = pair.split(' ');
      // The first answer is public, and all later ones are private. The sender must check each answer that it uses.
      const answers = [[address]];
      const { lookup, asked } = resolver(() => answers.shift() ?? ['127.0.0.1']);
      const send = createWebhookSender({ allowPrivate: false, lookup });
      const { connected, restore } = interceptConnections();
      try {
        const url = `${scheme}://rebinding.test/`;
        expect(await send(webhook(url))).toMatchObject({ status: null, error: NOT_CONNECTED });
        // The sender resolved the name once, and would have connected to the address that it checked.
        expect([asked.length, connected]).toEqual([1, [address]]);
        // The sender checks the name again for the next requests.
        for (let turn = 0; turn < 2; turn++) expect(await send(webhook(url))).toMatchObject(refused);
        expect([asked.length, connected]).toEqual([3, [address]]);
      } finally {
        restore();
        send.close();
      }
    },
  );

  test.each(PUBLIC)('connects to %s', async (address) => {
    const send = createWebhookSender({ allowPrivate: false });
    const { connected, restore } = interceptConnections();
    try {
      const host = address.includes(':') ? `[${address}]` : address;
      for (const scheme of ['http', 'https'])
        expect(await send(webhook(`${scheme}://${host}/`))).toMatchObject({
          status: null,
          error: NOT_CONNECTED,
        });
      expect(connected).toEqual([address, address]);
    } finally {
      restore();
      send.close();
    }
  });

  test('connects when private networks are allowed, so the tests above would see a connection', async () => {
    const { port, close, connections } = await listener();
    const { lookup } = resolver(() => ['127.0.0.1']);
    const send = createWebhookSender({ allowPrivate: true, lookup });
    try {
      await send(webhook(`http://127.0.0.1:${port}/`));
      await send(webhook(`http://loopback.test:${port}/`));
      expect(attempts).toEqual(['127.0.0.1', '127.0.0.1']);
      expect(connections()).toBe(2);
    } finally {
      send.close();
      await close();
    }
  });

  test('closes a connection that is no longer used, although the receiver would keep it', async () => {
    const receiver = createHttpServer((_, response) => response.end('{}'));
    receiver.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    let closed = 0;
    receiver.on('connection', (socket) => socket.on('close', () => ++closed));
    const send = createWebhookSender({ allowPrivate: true, idleMs: 100 });
    try {
      const { port } = receiver.address() as AddressInfo;
      expect(await send(webhook(`http://127.0.0.1:${port}/`))).toMatchObject({ status: 200 });
      await eventuallyEquals(async () => closed, 1);
    } finally {
      send.close();
      receiver.close();
    }
  });

  test('does not follow a redirect to a private address', async () => {
    const inside = await listener();
    const outside = await listener(
      `HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:${inside.port}/\r\ncontent-length: 0\r\n\r\n`,
    );
    const send = createWebhookSender({ allowPrivate: true });
    try {
      expect(await send(webhook(`http://127.0.0.1:${outside.port}/`))).toMatchObject({ status: 307 });
      expect([outside.connections(), inside.connections()]).toEqual([1, 0]);
    } finally {
      send.close();
      await Promise.all([inside.close(), outside.close()]);
    }
  });
});

/** A server that answers each connection with these bytes and ends it. */
async function listener(bytes = '') {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describe('a payment, with private networks not allowed', () => {
  let corridor: TestCorridor;
  let agent: Agent;
  let inside: Awaited<ReturnType<typeof listener>>;
  beforeAll(async () => {
    inside = await listener();
    corridor = await startCorridor({ env: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
    agent = await corridor.newAgent();
  });
  afterAll(async () => {
    await corridor.stop();
    await inside.close();
  });

  test.each(INVALID_CALLBACKS)('is refused with the callback_url %j', async (callback_url) => {
    const { status, body } = await agent.pay({ callback_url });
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, ['callback_url']]);
  });

  test('completes although its callback_url leads to a private address, which receives nothing', async () => {
    const lp = await corridor.newLp({ collateral: 10_000 });
    const urls = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '[::ffff:7f00:1]',
      'localhost',
      'a@127.0.0.1',
    ];
    const orders = await Promise.all(
      urls.map((host) => agent.newOrder({ callback_url: `https://${host}:${inside.port}/` })),
    );
    for (const id of orders) await expectStatus(200, lp.claim(id));
    for (const id of orders) {
      const deliveries = await eventually(async () => {
        const path = `/api/v1/webhook-deliveries?order_id=${id}`;
        const found = (await expectStatus(200, agent.call('GET', path))).deliveries;
        // An attempt is listed before its answer is recorded.
        return found[0]?.state === 'exhausted' && found;
      });
      const errors = deliveries[0].attempts.map(({ error }: { error: string }) => error);
      expect(errors).toEqual(Array(3).fill('the address is not a public one'));
    }
    expect(inside.connections()).toBe(0);
  });
});

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  CorridorError,
  createAgentClient,
  createLpClient,
  registerLp,
  verifyWebhook,
} from '../../client/src/index.ts';
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts';
import { freePort } from '../../src/process/free-port.ts';
import { payment } from '../support/actors.ts';
import { startCorridor, WEBHOOK_SECRET } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import { catchRefusal } from '../support/refusal.ts';

const corridor = await startCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const receiver = await startWebhookReceiver(WEBHOOK_SECRET);
const client = createAgentClient({ baseUrl: `${corridor.config.publicUrl}/`, key: agent.key });
afterAll(async () => {
  await receiver.close();
  await corridor.stop();
});

const payout = () => ({
  amount: 1_295,
  currency: 'KES',
  recipient: '+254700000001',
  user_id: agent.userId,
  callback_url: receiver.url,
});

test('an agent completes a payment from the quote on, and its webhooks verify', async () => {
  const { corridors } = await client.corridors();
  const kes = corridors.find(({ currency }) => currency === 'KES');
  expect(kes?.methods.find(({ method }) => method === kes.default_method)).toMatchObject({ available: true });
  const { rate_lock_id } = await client.quote({ amount: 1_295, currency: 'KES' });
  const { currency, recipient } = payout();
  const { recipient_check_id } = await client.verifyRecipient({ currency, recipient, name: 'Jane' });
  const { order_id } = await client.pay({ ...payout(), rate_lock_id, recipient_check_id });
  const recipient_check = { recipient_check_id, result: 'unsupported' };
  expect(await client.status(order_id)).toMatchObject({ order_id, status: 'matched', recipient_check });
  await lp.claim(order_id);
  await lp.fiatSent(order_id);
  expect(await client.waitFor(order_id, ['fiat_sent'])).toMatchObject({ status: 'fiat_sent' });
  expect(await client.confirm(order_id)).toEqual({ status: 'confirmed' });
  const hash = await payment(corridor, agent, order_id);
  expect(await client.settle(order_id, hash)).toMatchObject({ order_id });
  expect(await client.waitFor(order_id, ['completed'], { everyMs: 50 })).toMatchObject({ tx_hash: hash });
  expect((await client.timeline(order_id)).transitions.map(({ status }) => status)).toContain('confirmed');

  const { raw, headers } = await receiver.next(({ body }) => body.status === 'completed');
  const event = verifyWebhook({ secret: WEBHOOK_SECRET, body: raw, headers });
  expect(event).toMatchObject({ order_id, status: 'completed', data: { lp_id: lp.id } });
});

test('waiting ends when the order ends, and when the caller aborts it', async () => {
  const { order_id } = await client.pay(payout());
  const timeout = AbortSignal.timeout(300);
  const waiting = client.waitFor(order_id, ['completed'], { everyMs: 50, signal: timeout });
  await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(await client.cancel(order_id, 'Not needed')).toEqual({ status: 'cancelled' });
  expect(await client.waitFor(order_id, ['completed'])).toMatchObject({ status: 'cancelled' });
});

test('the list of orders spans all pages and has each order once', async () => {
  const paid = [];
  for (let i = 0; i < 5; i++) paid.push((await client.pay(payout())).order_id);
  const listed = [];
  for await (const { order_id } of client.orders({ limit: 2, status: 'matched' })) listed.push(order_id);
  expect(listed).toEqual([...listed].sort((a, b) => b - a));
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed).toEqual(expect.arrayContaining(paid));
});

describe('the webhooks of an order', () => {
  /** Creates a claimed order, and returns it with the delivery of its webhook. */
  async function deliverClaimWebhook() {
    const { order_id } = await client.pay(payout());
    await lp.claim(order_id);
    const delivery = await eventually(async () => {
      const { deliveries } = await client.webhookDeliveries(order_id);
      return deliveries.find(({ state }) => state === 'delivered');
    });
    return { order_id, delivery };
  }

  test('are listed with every attempt', async () => {
    const { order_id, delivery } = await deliverClaimWebhook();
    const attempts = [expect.objectContaining({ attempt: 1, status_code: 200, error: null })];
    expect(delivery).toMatchObject({ order_id, status: 'claimed', attempts });
    expect(await catchRefusal(client.webhookDeliveries(9_999_999))).toMatchObject({ code: 'not_found' });
    const all: number[] = [];
    for await (const { order_id: of } of client.allWebhookDeliveries({ limit: 1, state: 'delivered' }))
      all.push(of);
    expect(all).toContain(order_id);
    expect(all).toEqual([...all].sort((one, other) => other - one));
  });

  test('can be sent again, with the same bytes', async () => {
    const { order_id, delivery } = await deliverClaimWebhook();
    const first = await receiver.next(({ body }) => body.order_id === order_id);
    expect(await client.redeliver(delivery.id)).toEqual({ ok: true });
    const again = await receiver.next(
      (received) => received.body.order_id === order_id && received !== first,
    );
    expect(again.raw).toBe(first.raw);
    const event = verifyWebhook({ secret: WEBHOOK_SECRET, body: again.raw, headers: again.headers });
    expect(event).toMatchObject({ order_id, status: 'claimed' });
    await eventually(async () => {
      const { deliveries } = await client.webhookDeliveries(order_id);
      return deliveries.find(({ attempts }) => attempts.length === 2);
    });
  });

  test('of another agent cannot be sent again', async () => {
    const { delivery } = await deliverClaimWebhook();
    const other = await corridor.newAgent();
    const stranger = createAgentClient({ baseUrl: corridor.config.publicUrl, key: other.key });
    expect(await catchRefusal(stranger.redeliver(delivery.id))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });
});

test('an agent reads its own key', async () => {
  expect(await client.key()).toMatchObject({ id: agent.keyId, scopes: null });
});

describe('the client refuses to be created', () => {
  test.each([undefined, '', ' '])('without a key, such as %j', (key) => {
    expect(() => createAgentClient({ baseUrl: corridor.config.publicUrl, key })).toThrow(/There is no key/);
    expect(() => createLpClient({ baseUrl: corridor.config.publicUrl, key })).toThrow(/There is no key/);
  });

  test('with a key that no header can have, or a password in the baseUrl, and shows neither', () => {
    const { publicUrl: baseUrl } = corridor.config;
    const named = (options: { baseUrl: string; key: string }) => {
      try {
        createAgentClient(options);
      } catch (error) {
        return String(error);
      }
      return 'nothing was thrown';
    };
    const key = named({ baseUrl, key: 'rk_live_secret\nrk_live_other' });
    expect(key).toMatch(/^TypeError: The key has a space or another character/);
    expect(key).not.toContain('secret');
    const url = named({ baseUrl: 'https://me:secret@pay.example', key: 'rk_live_x' });
    expect(url).toBe('TypeError: baseUrl must not contain a user or a password');
  });

  test('but a line break at the end of a key, as of a file, does not matter', async () => {
    const fromFile = createAgentClient({ baseUrl: corridor.config.publicUrl, key: `${agent.key}\n` });
    expect(await fromFile.key()).toMatchObject({ id: agent.keyId });
  });

  test.each(['', '127.0.0.1:8080', 'localhost:8080', 'ftp://pay.example'])(
    'with the baseUrl %j',
    async (baseUrl) => {
      const message = `baseUrl is ${JSON.stringify(baseUrl)}`;
      expect(() => createAgentClient({ baseUrl, key: 'rk_live_x' })).toThrow(message);
      const request = {
        xrpl_address: 'rX',
        mpesa_phone: '+254700000002',
        supported_currencies: { KES: 129 },
      };
      await expect(registerLp({ baseUrl }, request)).rejects.toThrow(message);
    },
  );
});

describe('a refusal', () => {
  test('has the service’s message, its code and the request id of its log', async () => {
    const { order_id } = await client.pay(payout());
    const error = await catchRefusal(client.confirm(order_id));
    expect(error).toBeInstanceOf(CorridorError);
    expect(error).toMatchObject({ status: 409, code: 'wrong_state', fields: {}, retryAfter: null });
    expect(error.requestId).toMatch(/^[\w-]{8,64}$/);
    expect(error.message).toBe('The order is matched, which does not allow this');
  });

  test('of a field contains its name', async () => {
    const error = await catchRefusal(client.pay({ ...payout(), amount: -1, currency: 'x' }));
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(Object.keys(error.fields).sort()).toEqual(['amount', 'currency']);
    expect(error.message).toContain('currency: must be a currency code of three letters');
  });

  test('of a wrong key is not retried', async () => {
    const stranger = createAgentClient({ baseUrl: corridor.config.publicUrl, key: 'rk_live_none' });
    expect(await catchRefusal(stranger.status(1))).toMatchObject({ status: 403, code: 'agent_key_invalid' });
  });
});

describe('when calls fail', () => {
  /** Starts a proxy that forwards every call, but answers the first ones with these listeners. */
  async function startProxy(first: RequestListener[]) {
    const idempotencyKeys: (string | undefined)[] = [];
    const server = createServer(async (request, response) => {
      idempotencyKeys.push(request.headers['idempotency-key'] as string | undefined);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const failure = first.shift();
      const { host: _, ...headers } = request.headers as Record<string, string>;
      const answer = await fetch(corridor.config.publicUrl + request.url, {
        method: request.method ?? 'GET',
        headers,
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      });
      const text = await answer.text();
      if (failure) return failure(request, response);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = () => {
      server.close();
      server.closeAllConnections();
    };
    return {
      idempotencyKeys,
      close,
      client: createAgentClient({ baseUrl, key: agent.key, timeoutMs: 60_000 }),
    };
  }

  test('a payment whose responses are lost is made once', async () => {
    const lost: RequestListener = ({ socket }) => socket.destroy();
    const unavailable: RequestListener = (_, response) =>
      response.writeHead(503, { 'retry-after': '0' }).end('<html>');
    const { client, idempotencyKeys, close } = await startProxy([lost, unavailable]);
    try {
      const payment = await client.pay(payout());
      expect(payment).toMatchObject({ idempotent_replay: true });
      expect(new Set(idempotencyKeys).size).toBe(1);
      expect(idempotencyKeys).toHaveLength(3);
      for await (const newest of client.orders({ limit: 1 })) {
        expect(newest.order_id).toBe(payment.order_id);
        break;
      }
    } finally {
      close();
    }
  });

  test('a payment that got no answer is repeated with the key of the error', async () => {
    const lost: RequestListener = ({ socket }) => socket.destroy();
    const { client, idempotencyKeys, close } = await startProxy(Array(4).fill(lost));
    try {
      const error = await catchRefusal(client.pay(payout()));
      expect(error).toMatchObject({ code: 'no_answer', idempotencyKey: idempotencyKeys[0] });
      const again = await client.pay(payout(), { idempotencyKey: String(error.idempotencyKey) });
      expect(again).toMatchObject({ idempotent_replay: true });
      expect((await catchRefusal(client.status(0))).idempotencyKey).toBeNull();
    } finally {
      close();
    }
  });

  test('a service that asks for a long pause is left to the caller', async () => {
    let calls = 0;
    const waiting = createAgentClient({
      ...{ baseUrl: 'http://127.0.0.1:1', key: 'rk_live_x' },
      fetch: async () => {
        calls += 1;
        return new Response('{}', { status: 429, headers: { 'retry-after': '3600' } });
      },
    });
    expect(await catchRefusal(waiting.status(1))).toMatchObject({ status: 429, retryAfter: 3_600 });
    expect(calls).toBe(1);
  });

  test('a service that stays unavailable makes the call fail after all attempts', async () => {
    const unavailable: RequestListener = (_, response) =>
      response.writeHead(502, { 'retry-after': '0' }).end('bad gateway');
    const { client, idempotencyKeys, close } = await startProxy(Array(5).fill(unavailable));
    try {
      expect(await catchRefusal(client.status(1))).toMatchObject({
        status: 502,
        code: 'unknown',
        message: 'HTTP 502',
      });
      expect(idempotencyKeys).toHaveLength(4);
    } finally {
      close();
    }
  });

  test('an unreachable service gives an error with the reason and no status', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const unreachable = createAgentClient({ baseUrl, key: 'rk_live_x', attempts: 1 });
    const error = await catchRefusal(unreachable.status(1));
    expect(error).toMatchObject({ status: null, code: 'no_answer' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('an idempotency key that no header can carry is a TypeError, and nothing is sent', async () => {
    let sent = 0;
    const client = createAgentClient({
      ...{ baseUrl: 'http://127.0.0.1:1', key: 'rk_live_x' },
      fetch: async () => {
        sent += 1;
        throw new Error('sent');
      },
    });
    const payment = { amount: 1, currency: 'KES', recipient: '+254700000001', user_id: 1 };
    for (const idempotencyKey of ['invoice-№7', 'invoice\n7'])
      await expect(client.pay(payment, { idempotencyKey })).rejects.toThrow(TypeError);
    expect(sent).toBe(0);
  });

  test('a page instead of JSON gives an error that says so, without a retry', async () => {
    const page: RequestListener = (_, response) => response.writeHead(200).end('<html>');
    const { client, idempotencyKeys, close } = await startProxy([page]);
    try {
      const error = await catchRefusal(client.status(1));
      expect(error).toMatchObject({ status: 200, code: 'unknown' });
      expect(error.message).toContain('HTTP 200 without JSON');
      expect(idempotencyKeys).toHaveLength(1);
    } finally {
      close();
    }
  });
});

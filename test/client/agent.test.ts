import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type AgentClient,
  CorridorError,
  createAgentClient,
  createLpClient,
  registerLp,
  verifyWebhook,
} from '../../client/src/index.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../demo/webhook-receiver.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { type Agent, claim, fiatSent, newAgent, newLp, type TestLp, transaction } from '../support/actors.ts';
import { startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';

let corridor: TestCorridor;
let agent: Agent;
let lp: TestLp;
let receiver: WebhookReceiver;
let client: AgentClient;
beforeAll(async () => {
  corridor = await startCorridor();
  agent = await newAgent(corridor);
  lp = await newLp(corridor);
  receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  client = createAgentClient({ baseUrl: `${corridor.config.publicUrl}/`, key: agent.key });
});
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
const refusal = (call: Promise<unknown>): Promise<CorridorError> =>
  call.then(
    () => {
      throw new Error('It was not refused');
    },
    (error) => error,
  );

test('a payment goes from its quote to its end, and its webhooks verify', async () => {
  const { rate_lock_id } = await client.quote({ amount: 1_295, currency: 'KES' });
  const { order_id } = await client.pay({ ...payout(), rate_lock_id });
  expect(await client.status(order_id)).toMatchObject({ order_id, status: 'matched' });
  await claim(lp, order_id);
  await fiatSent(lp, order_id);
  expect(await client.waitFor(order_id, ['fiat_sent'])).toMatchObject({ status: 'fiat_sent' });
  expect(await client.confirm(order_id)).toEqual({ status: 'confirmed' });
  const hash = await transaction(corridor.anyone, lp.address, 10.05);
  expect(await client.settle(order_id, hash)).toMatchObject({ order_id });
  expect(await client.waitFor(order_id, ['completed'], { everyMs: 50 })).toMatchObject({ tx_hash: hash });
  expect((await client.timeline(order_id)).transitions.map(({ status }) => status)).toContain('confirmed');

  const { raw, headers } = await receiver.next(({ body }) => body.status === 'completed');
  const event = verifyWebhook({ secret: WEBHOOK_SECRET, body: raw, headers });
  expect(event).toMatchObject({ order_id, status: 'completed', data: { lp_id: lp.id } });
});

test('waiting ends where the order has, and where the caller says so', async () => {
  const { order_id } = await client.pay(payout());
  const tooLong = AbortSignal.timeout(300);
  const waiting = client.waitFor(order_id, ['completed'], { everyMs: 50, signal: tooLong });
  await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(await client.cancel(order_id, 'Not needed')).toEqual({ status: 'cancelled' });
  expect(await client.waitFor(order_id, ['completed'])).toMatchObject({ status: 'cancelled' });
});

test('all orders come page after page, each once', async () => {
  const paid = [];
  for (let i = 0; i < 5; i++) paid.push((await client.pay(payout())).order_id);
  const listed = [];
  for await (const { order_id } of client.orders({ limit: 2, status: 'matched' })) listed.push(order_id);
  expect(listed).toEqual([...listed].sort((a, b) => b - a));
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed).toEqual(expect.arrayContaining(paid));
});

describe('the webhooks of an order', () => {
  /** A claimed order whose webhook has come, and been taken; with its delivery. */
  async function delivered() {
    const { order_id } = await client.pay(payout());
    await claim(lp, order_id);
    const delivery = await eventually(async () => {
      const { deliveries } = await client.webhookDeliveries(order_id);
      return deliveries.find(({ state }) => state === 'delivered');
    });
    return { order_id, delivery };
  }

  test('are listed with every attempt', async () => {
    const { order_id, delivery } = await delivered();
    const attempts = [expect.objectContaining({ attempt: 1, status_code: 200, error: null })];
    expect(delivery).toMatchObject({ order_id, status: 'claimed', attempts });
    expect(await refusal(client.webhookDeliveries(9_999_999))).toMatchObject({ code: 'not_found' });
  });

  test('are sent again, with the bytes that they had', async () => {
    const { order_id, delivery } = await delivered();
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

  test('of another agent are not sent again', async () => {
    const { delivery } = await delivered();
    const other = await newAgent(corridor);
    const stranger = createAgentClient({ baseUrl: corridor.config.publicUrl, key: other.key });
    expect(await refusal(stranger.redeliver(delivery.id))).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('a client is not made', () => {
  test.each([undefined, '', ' '])('without a key, such as %j', (key) => {
    expect(() => createAgentClient({ baseUrl: corridor.config.publicUrl, key })).toThrow(/There is no key/);
    expect(() => createLpClient({ baseUrl: corridor.config.publicUrl, key })).toThrow(/There is no key/);
  });

  test.each(['', '127.0.0.1:8080', 'localhost:8080', 'ftp://pay.example'])('for %j', async (baseUrl) => {
    const fault = `baseUrl is ${JSON.stringify(baseUrl)}`;
    expect(() => createAgentClient({ baseUrl, key: 'rk_live_x' })).toThrow(fault);
    const request = { xrpl_address: 'rX', mpesa_phone: '+254700000002', supported_currencies: { KES: 129 } };
    await expect(registerLp({ baseUrl }, request)).rejects.toThrow(fault);
  });
});

describe('a refusal', () => {
  test('has the service’s words and its code, and the id that its log has', async () => {
    const { order_id } = await client.pay(payout());
    const error = await refusal(client.confirm(order_id));
    expect(error).toBeInstanceOf(CorridorError);
    expect(error).toMatchObject({ status: 409, code: 'wrong_state', fields: {}, retryAfter: null });
    expect(error.requestId).toMatch(/^[\w-]{8,64}$/);
    expect(error.message).toBe('The order is matched, which does not allow this');
  });

  test('of a field names it', async () => {
    const error = await refusal(client.pay({ ...payout(), amount: -1, currency: 'x' }));
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(Object.keys(error.fields).sort()).toEqual(['amount', 'currency']);
    expect(error.message).toContain('currency: must be a currency code of three letters');
  });

  test('of the key is not asked for again', async () => {
    const stranger = createAgentClient({ baseUrl: corridor.config.publicUrl, key: 'rk_live_none' });
    expect(await refusal(stranger.status(1))).toMatchObject({ status: 403, code: 'agent_key_invalid' });
  });
});

describe('in the face of trouble', () => {
  /** A server in front of the real one, that does as it is told with the first calls. */
  async function inFrontOf(first: RequestListener[]) {
    const asked: (string | undefined)[] = [];
    const server = createServer(async (request, response) => {
      asked.push(request.headers['idempotency-key'] as string | undefined);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const trouble = first.shift();
      const { host: _, ...headers } = request.headers as Record<string, string>;
      const answer = await fetch(corridor.config.publicUrl + request.url, {
        method: request.method ?? 'GET',
        headers,
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      });
      const text = await answer.text();
      if (trouble) return trouble(request, response);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = () => {
      server.close();
      server.closeAllConnections();
    };
    return { asked, close, client: createAgentClient({ baseUrl, key: agent.key, timeoutMs: 5_000 }) };
  }

  test('a payment whose answers get lost is made once', async () => {
    const lost: RequestListener = ({ socket }) => socket.destroy();
    const away: RequestListener = (_, response) =>
      response.writeHead(503, { 'retry-after': '0' }).end('<html>');
    const { client, asked, close } = await inFrontOf([lost, away]);
    try {
      const made = await client.pay(payout());
      expect(made).toMatchObject({ idempotent_replay: true });
      expect(new Set(asked).size).toBe(1);
      expect(asked).toHaveLength(3);
      for await (const newest of client.orders({ limit: 1 })) {
        expect(newest.order_id).toBe(made.order_id);
        break;
      }
    } finally {
      close();
    }
  });

  test('what stays away is told in the end', async () => {
    const away: RequestListener = (_, response) =>
      response.writeHead(502, { 'retry-after': '0' }).end('bad gateway');
    const { client, asked, close } = await inFrontOf([away, away, away, away, away]);
    try {
      expect(await refusal(client.status(1))).toMatchObject({
        status: 502,
        code: 'unknown',
        message: 'HTTP 502',
      });
      expect(asked).toHaveLength(4);
    } finally {
      close();
    }
  });

  test('a service that is not there is no refusal of anything, and why is told', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const nowhere = createAgentClient({ baseUrl, key: 'rk_live_x', attempts: 1 });
    const error = await refusal(nowhere.status(1));
    expect(error).toMatchObject({ status: null, code: 'no_answer' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('a page in place of an answer is told for what it is, and not asked for again', async () => {
    const page: RequestListener = (_, response) => response.writeHead(200).end('<html>');
    const { client, asked, close } = await inFrontOf([page]);
    try {
      const error = await refusal(client.status(1));
      expect(error).toMatchObject({ status: 200, code: 'unknown' });
      expect(error.message).toContain('HTTP 200 without JSON');
      expect(asked).toHaveLength(1);
    } finally {
      close();
    }
  });
});

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import type { ListedDeliveryView } from '../../src/api/resources/webhook-deliveries/schemas.ts';
import { recordAttempt } from '../../src/notify/webhooks/deliveries.ts';
import { maskOrders } from '../../src/operations/retention/mask-orders.ts';
import { signInWith } from '../support/console-session.ts';
import { eventually } from '../support/eventually.ts';
import { columnsWith } from '../support/find-text.ts';
import { turnOn } from '../support/lp-receiver.ts';
import { expectNoPendingWebhooks } from '../support/soundness.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Receivers write what Corridor stores and shows as their answers. Each agent sees only its own. */
const corridor = await useCorridor();
const { db } = corridor;
const servers: Server[] = [];

const [agent, other] = [await corridor.newAgent(), await corridor.newAgent()];
const lp = await corridor.newLp({ collateral: 10_000 });
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const answering = (body: string | Buffer) => receiver((_, response) => response.end(body));

const PATH = '/api/v1/webhook-deliveries';
const VIEWER = { name: 'Vera', role: 'viewer' };
const deliveriesOf = async (call: Call, orderId: number) =>
  (await expectStatus(200, call('GET', `${PATH}?order_id=${orderId}`))).deliveries;
/** Creates an order and cancels it. Returns its id, and its delivery once it has arrived. */
async function cancelled(callback_url: string, changes: object = {}, by = agent) {
  const id = await by.newOrder({ callback_url, ...changes });
  await expectStatus(200, by.cancel(id));
  const delivery = await eventually(async () => {
    const [found] = await deliveriesOf(by.call, id);
    return found?.state === 'delivered' && found;
  });
  return { id, delivery };
}
const answerTo = async (body: string | Buffer, changes: object = {}): Promise<string> =>
  (await cancelled(await answering(body), changes)).delivery.attempts[0].answer;

describe('an answer', () => {
  const RECIPIENT = { recipient: '+254733444555', recipient_name: 'Akinyi Odhiambo' };

  test('that has the order’s recipient is stored and shown as a mask', async () => {
    for (const text of ['paid +254733444555', 'paid 0733 444 555', 'to AKINYI ODHIAMBO'])
      expect(await answerTo(text, RECIPIENT)).toBe('•••');
    for (const text of ['254733444555', '733 444 555'])
      expect(await columnsWith(db, text)).not.toContain('webhook_attempt.answer');
  });

  test('that has escapes of JSON, URLs or HTML is stored as a mask: they could hide the recipient', async () => {
    const written = [
      '\\u0032\\u0035\\u0034',
      'Akinyi%20Odhi%61mbo',
      '&#43;254&#55;33&#x34;',
      'Akinyi&nbsp;Odhiambo',
    ];
    for (const text of written) expect(await answerTo(`paid ${text}.`, RECIPIENT)).toBe('•••');
  });

  test('that has the recipient in base64, that of URLs too, is stored as a mask', async () => {
    const sent = Buffer.from('{"recipient":"+254733444555","name":"Akinyi Odhiambo"}');
    for (const encoding of ['base64', 'base64url'] as const)
      expect(await answerTo(`got "${sent.toString(encoding)}".`, RECIPIENT)).toBe('•••');
  });

  test('that is cut within the recipient does not show its beginning', async () => {
    expect(await answerTo(`${'x '.repeat(98)}+254733444555`, RECIPIENT)).toBe('•••');
    expect(await answerTo(`${'x '.repeat(97)}Akinyi Odhiambo`, RECIPIENT)).toBe('•••');
  });

  test('of bytes that are no text is made one, and is recorded', async () => {
    expect(await answerTo(Buffer.from([0x61, 0, 0xff, 0xc3, 0x28, 0x62]))).toBe('a\ufffd\ufffd(b');
  });

  test('of a megabyte takes 200 characters', async () => {
    const answer = await answerTo('é'.repeat(500_000));
    expect(answer).toBe('é'.repeat(200));
  });

  test('without an end takes 200 characters, and does not keep the delivery open', async () => {
    const url = await receiver((_, response) => {
      const pour = () => {
        while (!response.destroyed && response.write('endless '));
      };
      response.on('drain', pour);
      pour();
    });
    const { delivery } = await cancelled(url);
    expect(delivery.attempts).toHaveLength(1);
    expect(delivery.attempts[0].answer).toBe('endless '.repeat(25));
  });

  test('cannot be stored with more than 200 characters, whatever the sender does', async () => {
    const long = db.pool.query(`update webhook_attempt set answer = repeat('x', 201)`);
    await expect(long).rejects.toMatchObject({ constraint: 'webhook_attempt_answer_check' });
  });

  test('of an LP’s receiver is not stored: it may have the recipient of another order', async () => {
    await turnOn(lp, await answering('an LP has answered this'));
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await eventually(async () => {
      const sql = `select from webhook_delivery where order_id = $1 and lp_id is not null and state = 'delivered'`;
      return (await db.query('t-lp-delivered', sql, [id])).length > 0;
    });
    expect(await columnsWith(db, 'an LP has answered this')).toEqual([]);
  });
});

describe('the webhooks of another agent', () => {
  test('are neither listed nor sent again, with the key or with a session', async () => {
    const own = await cancelled(await answering('own answer'));
    const { id, delivery } = await cancelled(await answering('private answer'), {}, other);
    const session = await signInWith(corridor, agent.key);
    for (const call of [agent.call, session.call]) {
      expect((await call('GET', `${PATH}?order_id=${id}`)).status).toBe(404);
      expect((await call('GET', `/api/v1/orders/${id}/timeline`)).status).toBe(404);
      expect((await call('POST', `${PATH}/${delivery.id}/redeliver`, {})).status).toBe(404);
      const pages = [`${PATH}?limit=100`, `${PATH}?cursor=${delivery.id}`, '/api/v1/orders?limit=100'];
      for (const path of pages) {
        const page = await expectStatus(200, call('GET', path));
        expect(JSON.stringify(page)).not.toContain('private answer');
        expect(JSON.stringify(page)).not.toContain(`"order_id":${id},`);
      }
      // Another agent's webhook as the cursor says nothing about it.
      expect((await expectStatus(200, call('GET', `${PATH}?cursor=${delivery.id}`))).deliveries).toEqual([]);
      expect((await expectStatus(200, call('GET', PATH))).deliveries[0].id).toBe(own.delivery.id);
    }
    expect((await expectStatus(200, other.call('GET', PATH))).deliveries).toHaveLength(1);
  });

  test('cannot be read by a session whose key lacks the scope or the address, from the next request on', async () => {
    const reader = await corridor.newAgent();
    const session = await signInWith(corridor, reader.key);
    const read = async (path: string) => {
      const { status, body } = await session.call('GET', path);
      return status === 200 ? 200 : body.error;
    };
    expect([await read('/api/v1/orders'), await read(PATH)]).toEqual([200, 200]);
    const change = (body: object) =>
      expectStatus(200, corridor.admin('POST', `/api/admin/agent-keys/${reader.keyId}`, body));
    const scopes = (list: string[]) => change({ scopes: list });
    await scopes(['webhooks']);
    expect([await read('/api/v1/orders'), await read(PATH)]).toEqual([
      'This API key lacks the scope read: it has webhooks',
      200,
    ]);
    await scopes(['read']);
    expect([await read('/api/v1/orders'), await read(PATH)]).toEqual([
      200,
      'This API key lacks the scope webhooks: it has read',
    ]);
    await change({ allowed_ips: ['192.0.2.0/24'] });
    expect(await read('/api/v1/orders')).toBe('This agent API key is not accepted from your address');
    await change({ allowed_ips: null });
    expect(await read('/api/v1/orders')).toBe(200);
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${reader.keyId}`));
    expect(await session.isOpen()).toBe(false);
  });
});

describe('an admin of any role', () => {
  test('reads the bodies and answers of agents’ webhooks, and no recipient', async () => {
    const recipient = '+254799888777';
    const lpReceiver = await answering('an LP has answered that');
    await turnOn(lp, lpReceiver);
    const id = await agent.newOrder({ callback_url: await answering(`paid ${recipient}`), recipient });
    await expectStatus(200, lp.claim(id));
    const viewer = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', VIEWER));
    const path = `/api/admin/webhook-deliveries?order_id=${id}`;
    const read = async () => (await expectStatus(200, corridor.as(viewer.api_key)('GET', path))).deliveries;
    const isDelivered = ({ state }: { state: string }) => state === 'delivered';
    const deliveries: ListedDeliveryView[] = await eventually(async () => {
      const found = await read();
      return found.length >= 3 && found.every(isDelivered) && found;
    });
    const [toAgent] = deliveries.filter(({ lp_id }) => lp_id === null);
    expect(JSON.parse(toAgent?.body ?? '')).toMatchObject({ order_id: id, status: 'claimed' });
    expect(toAgent?.attempts).toMatchObject([{ status_code: 200, answer: '•••' }]);
    const toLp = deliveries.filter(({ lp_event }) => lp_event === 'order.updated');
    expect(toLp).toMatchObject([{ body: null, attempts: [{ status_code: 200, answer: null }] }]);
    // The LP's own webhook has the recipient.
    expect(await columnsWith(db, recipient)).toContain('webhook_delivery.body');
    expect(JSON.stringify(deliveries)).not.toMatch(/799888777|LP has answered/);
  });
});

describe('masking the order', () => {
  const receipts = { remove: async () => undefined };

  test('removes the answers, and keeps none that is recorded later', async () => {
    const { id, delivery } = await cancelled(await answering('kept until the masking'));
    expect(await columnsWith(db, 'kept until the masking')).toEqual(['webhook_attempt.answer']);
    await expectNoPendingWebhooks(db);
    expect((await maskOrders({ db, receipts }, [id], 'test')).ids).toEqual([id]);
    expect(await columnsWith(db, 'kept until the masking')).toEqual([]);
    const late = { status: 200, error: null, body: 'a late answer', durationMs: 11_000 };
    await recordAttempt(db, delivery.id, 1, late);
    expect(await columnsWith(db, 'a late answer')).toEqual([]);
    const [masked] = await deliveriesOf(agent.call, id);
    expect(masked).toMatchObject({ body: null, attempts: [{ status_code: 200, answer: null }] });
  });
});

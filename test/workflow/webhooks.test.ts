import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The receiver's answers to the attempts for each order, in turn. It answers 200 when the list is empty. */
const plans = new Map<number, number[]>();

const corridor = await useCorridor({
  answerWebhook: (received) => plans.get(received.at(-1)?.body.order_id ?? 0)?.shift() ?? 200,
});

const receivedFor = (orderId: number) =>
  corridor.receiver.received.filter(({ body }) => body.order_id === orderId);
const delivery = async (orderId: number, seq: number) => {
  const sql = 'select state, attempts from webhook_delivery where order_id = $1 and seq = $2';
  return (await corridor.db.query('delivery', sql, [orderId, seq]))[0];
};
const attempts = (orderId: number) =>
  corridor.db.query(
    'attempts',
    `select seq, attempt, status_code, error from webhook_attempt join webhook_delivery d on d.id = delivery_id
     where order_id = $1 order by seq, attempt`,
    [orderId],
  );

describe('webhooks', () => {
  test('report each change to the agent, in order, signed, with the row at that time', async () => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
    const id = await agent.confirmedOrder(lp, { callback_url: corridor.receiver.url });
    const hash = await corridor.payment(agent, id);
    await agent.settle(id, hash);
    await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'completed');

    const received = receivedFor(id);
    expect(received.map(({ body }) => body.status)).toEqual([
      'claimed',
      'fiat_sent',
      'confirmed',
      'crypto_verify_pending',
      'completed',
    ]);
    expect(received.every(({ signatureIsValid }) => signatureIsValid)).toBe(true);
    for (const { body } of received) {
      expect(body).toEqual({
        event: 'order.status_changed',
        order_id: id,
        status: body.status,
        status_reason_code: null,
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        data: expect.objectContaining({ id, status: body.status, amount_fiat: 1295, user_id: agent.userId }),
      });
    }
    expect(received[0]?.body.data).not.toHaveProperty('completed_at');
    expect(received[4]?.body.data).toMatchObject({
      completed_at: expect.any(String),
      user_crypto_tx_hash: hash,
    });
    expect(JSON.stringify(received)).not.toContain('+254700123456');
  });

  test('name the code of the reason beside the data, where only the contract’s fields are', async () => {
    const agent = await corridor.newAgent();
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    await expectStatus(200, agent.call('POST', `/api/v1/cancel/${id}`, {}));
    await eventuallyEquals(async () => receivedFor(id).length, 1);
    const [{ body } = { body: {} as Record<string, unknown> }] = receivedFor(id);
    expect(body).toMatchObject({ status: 'cancelled', status_reason_code: 'agent_cancelled' });
    const rows = [body.data, await expectStatus(200, corridor.anyone('GET', `/api/orders/${id}`))];
    for (const row of rows)
      for (const field of ['status_reason', 'status_reason_code']) expect(row).not.toHaveProperty(field);
    const { transitions } = await expectStatus(200, agent.call('GET', `/api/v1/orders/${id}/timeline`));
    expect(transitions.at(-1)).toMatchObject({
      ...{ cause: 'cancel', reason: 'The agent cancelled the order', reason_code: 'agent_cancelled' },
    });
  });

  test('are attempted up to three times with the same bytes until the receiver accepts them', async () => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    plans.set(id, [500, 302]);
    await lp.claim(id);
    await eventuallyEquals(async () => receivedFor(id).length, 3);
    await eventuallyEquals(async () => (await delivery(id, 2))?.state, 'delivered');
    expect(new Set(receivedFor(id).map(({ raw }) => raw)).size).toBe(1);
    expect(await attempts(id)).toEqual([
      { seq: 2, attempt: 1, status_code: 500, error: null },
      { seq: 2, attempt: 2, status_code: 302, error: null },
      { seq: 2, attempt: 3, status_code: 200, error: null },
    ]);
  });

  test('are exhausted after the third attempt, and later webhooks are still sent', async () => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    plans.set(id, [500, 500, 500]);
    await lp.claim(id);
    await lp.fiatSent(id);
    await eventuallyEquals(async () => (await delivery(id, 3))?.state, 'delivered');
    expect(await delivery(id, 2)).toEqual({ state: 'exhausted', attempts: 3 });
    expect(receivedFor(id).map(({ body }) => body.status)).toEqual([
      'claimed',
      'claimed',
      'claimed',
      'fiat_sent',
    ]);
  });

  test('are three POSTs when the receiver refuses the inline attempt, which goes to a recently fast receiver', async () => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    await lp.claim(id);
    await eventuallyEquals(async () => (await delivery(id, 2))?.state, 'delivered');
    plans.set(id, [503, 503, 503, 503]);
    await lp.fiatSent(id);
    await agent.confirm(id);
    await eventuallyEquals(async () => (await delivery(id, 4))?.state, 'delivered');
    expect(receivedFor(id).map(({ body }) => body.status)).toEqual([
      ...['claimed', 'fiat_sent', 'fiat_sent', 'fiat_sent'],
      ...['confirmed', 'confirmed'],
    ]);
  });

  test('to an unreachable receiver are three attempts with the reason', async () => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
    const id = await agent.newOrder({ callback_url: 'http://127.0.0.1:9/nobody-listens' });
    await lp.claim(id);
    await eventuallyEquals(async () => (await delivery(id, 2))?.state, 'exhausted');
    const rows = await attempts(id);
    expect(rows).toHaveLength(3);
    for (const row of rows)
      expect(row).toMatchObject({ status_code: null, error: expect.stringContaining('ECONNREFUSED') });
  });

  test('to a receiver that hangs delay neither their order nor others', async () => {
    const hanging: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
    try {
      const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
      const stuck = await agent.newOrder({ callback_url: url });
      await lp.claim(stuck);
      expect((await lp.fiatSent(stuck)).status).toBe(200);
      const other = await agent.newOrder({ callback_url: corridor.receiver.url });
      await lp.claim(other);
      await corridor.receiver.next(({ body }) => body.order_id === other && body.status === 'claimed');
      expect(await delivery(stuck, 2)).toMatchObject({ state: 'pending' });
    } finally {
      hanging.closeAllConnections();
      hanging.close();
    }
  });

  test('are not sent for an order without a callback_url', async () => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
    const id = await agent.newOrder();
    await lp.claim(id);
    expect(await delivery(id, 2)).toBeUndefined();
  });
});

test('outside development a receiver on this machine or its network is refused before a connection is made', async () => {
  const strict = await startCorridor({ env: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
  try {
    const [agent, lp] = [await strict.newAgent(), await strict.newLp()];
    expect((await agent.call('POST', '/api/v1/pay', { callback_url: 'http://example.com/' })).status).toBe(
      400,
    );
    const { port } = new URL(strict.receiver.url);
    const id = await agent.newOrder({ callback_url: `https://127.0.0.1:${port}/` });
    await lp.claim(id);
    const refused = await eventually(async () => {
      const rows = await strict.db.query<{ error: string }>(
        'refused',
        // An attempt is recorded before its response.
        `select error from webhook_attempt
         where exists (select from webhook_delivery d where d.id = webhook_attempt.delivery_id and d.state = 'exhausted')`,
        [],
      );
      return rows.length === 3 && rows;
    });
    for (const { error } of refused) expect(error).toBe('the address is not a public one');
    expect(strict.receiver.received).toHaveLength(0);
  } finally {
    await strict.stop();
  }
});

import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { expectStatus } from '../../dev/http-client.ts';
import { chainVerifiers } from '../../src/adapters/chain-verifiers.ts';
import { NO_PRICES } from '../../src/adapters/prices-http.ts';
import { loadCorridors } from '../../src/market/corridors/load.ts';
import { createRecipientChecks } from '../../src/market/corridors/recipient-checks.ts';
import { createRateLocks } from '../../src/market/pricing/rate-locks.ts';
import { createPay } from '../../src/orders/pay.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';
import { wakesOrder } from '../support/asleep.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { takeStep } from '../support/take-step.ts';
import { connectToTemporal } from '../support/temporal-client.ts';
import { unanswered } from '../support/unanswered.ts';

const corridor = await startCorridor();
const client = await connectToTemporal(corridor);
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
});

test('a payment whose workflow did not start gets one', async () => {
  const gateway = {
    ...corridor.shared.gateway,
    beginAsleep: () => Promise.reject(new Error('Temporal has just gone away')),
  };
  const log = pino({ level: 'silent' });
  const pay = createPay({
    db: corridor.db,
    gateway,
    announce: () => undefined,
    rateLocks: createRateLocks({
      db: corridor.db,
      chains: await chainVerifiers(corridor.config, corridor.db),
      prices: NO_PRICES,
      settings: corridor.config,
    }),
    delivery: { corridors: await loadCorridors(undefined), sandbox: true },
    recipientChecks: createRecipientChecks({ db: corridor.db, resolve: null, log }),
    log,
    settings: corridor.config,
  });
  const request = {
    amount: '1295',
    currency: 'KES',
    recipient: '+254700123456',
    user_id: agent.userId,
    method: 'mobile_money',
    crypto_symbol: 'usdt',
    crypto_chain: 'trx' as const,
  };
  const { response } = await pay({ id: agent.keyId }, request, undefined);
  await eventually(() => corridor.shared.gateway.runningOrder(response.order_id));
  await expectStatus(200, lp.claim(response.order_id));
});

test('an order whose workflow is lost continues from its row, and its pending webhook is sent', async () => {
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  await lp.claim(id);
  const first = await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'claimed');
  const { workflow } = client;
  await workflow.getHandle(`order-${id}`).terminate('as if its store had been lost');
  const delivered = `select state from webhook_delivery where order_id = $1`;
  await eventuallyEquals(
    async () => (await corridor.db.query<{ state: string }>('sent', delivered, [id]))[0]?.state,
    'delivered',
  );
  // The workflow was lost before the delivery was recorded.
  await corridor.db.query(
    'unrecord',
    'delete from webhook_attempt using webhook_delivery d where d.id = delivery_id and d.order_id = $1',
    [id],
  );
  await corridor.db.query(
    'owe',
    `update webhook_delivery set state = 'pending', attempts = 0 where order_id = $1`,
    [id],
  );
  await corridor.db.query(
    'older',
    `update orders set created_at = now() - interval '1 minute' where id = $1`,
    [id],
  );

  await eventuallyEquals(
    async () => corridor.receiver.received.filter(({ body }) => body.order_id === id).length,
    2,
  );
  expect(corridor.receiver.received.at(-1)?.raw).toBe(first.raw);
  expect(await lp.fiatSent(id)).toMatchObject({ status: 200, body: { status: 'fiat_sent' } });
});

test('an order whose workflow an operator has cancelled continues', async () => {
  const id = await agent.newOrder({ callback_url: 'http://127.0.0.1:9/nobody-listens' });
  await lp.claim(id);
  await corridor.db.query(
    'older-2',
    `update orders set created_at = now() - interval '1 minute' where id = $1`,
    [id],
  );
  const { workflow } = client;
  await workflow.getHandle(`order-${id}`).cancel();
  // A signal to the cancelled workflow has no answer, so the call is repeated, as its 503 asks.
  await eventuallyEquals(async () => (await unanswered(corridor, () => lp.fiatSent(id))).status, 200);
});

test('a workflow that is behind its row gets the row’s state', async () => {
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  await lp.claim(id);
  await corridor.db.query(
    'older-3',
    `update orders set created_at = now() - interval '1 minute' where id = $1`,
    [id],
  );
  // A step that Temporal's store has lost.
  await takeStep(corridor.db, 'markFiatSent', id, { trigger: 'fiatSent', lpId: lp.id });
  await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'fiat_sent');
  const { workflow } = client;
  await eventuallyEquals(async () => {
    const { typedSearchAttributes } = await workflow.getHandle(`order-${id}`).describe();
    return typedSearchAttributes.get(SEARCH_ATTRIBUTES.orderStatus);
  }, 'fiat_sent');
});

test('a claim that waited too long for a worker is void', async () => {
  const id = await agent.newOrder();
  const requestId = randomUUID();
  const validUntil = new Date(Date.now() - 1).toISOString();
  const command = { trigger: 'claim', lpId: lp.id, validUntil } as const;
  const request = { requestId, actor: `lp:${lp.id}`, command, forVersion: 1 };
  await corridor.shared.gateway.signal(id, request, await wakesOrder(corridor.db, id));
  const outcome = () =>
    corridor.db.query('outcome', 'select result from order_outcome where request_id = $1', [requestId]);
  await eventuallyEquals(async () => (await outcome()).length, 1);
  expect(await outcome()).toEqual([{ result: 'order_not_claimable' }]);
  expect(await agent.statusOf(id)).toBe('matched');
});

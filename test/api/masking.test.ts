import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { maskOrders } from '../../src/operations/retention/mask-orders.ts';
import { startCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { columnsWith } from '../support/find-text.ts';
import { startLpReceiver, turnOn } from '../support/lp-receiver.ts';
import type { Agent } from '../support/parties.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { RESOLVER_SECRET, startResolver } from '../support/recipient-resolver.ts';
import { expectNoPendingWebhooks, expectSoundWhenStill } from '../support/soundness.ts';
import { temporalContents } from '../support/temporal-contents.ts';
import { useCorridor } from '../support/use-corridor.ts';

const resolver = await startResolver();
const hooks = await startLpReceiver();
const folder = await mkdtemp(join(tmpdir(), 'corridor-masking-'));
afterAll(async () => {
  await resolver.close();
  hooks.close();
  await rm(folder, { recursive: true });
});
let answers = 0;
const corridor = await useCorridor({
  env: { DATA_DIR: folder, RECIPIENT_RESOLVER_URL: resolver.url, RECIPIENT_RESOLVER_SECRET: RESOLVER_SECRET },
  // Every other answer names the recipient, and is stored as a mask.
  answerBody: () => (answers++ % 2 === 0 ? ANSWER : `${NAME} (${PHONE}) gets a message. ${ANSWER}`),
});
const { db } = corridor;

const PHONE = '+254711222333';
const NAME = 'Wanjiru Kamau';
const MASKED_NAME = 'W••• K•••';
const ANSWER = 'Noted by the shop';
const png = fileOf(HEADS['image/png'], 2_000);

let agent: Agent = await corridor.newAgent();
const lp = await corridor.newLp();
await turnOn(lp, hooks.url);

const files = async () => (await readdir(join(folder, 'receipts'))).filter((name) => name !== 'incoming');
const forget = (userId: number) => corridor.admin('POST', `/api/admin/users/${userId}/forget`, {});

/** A completed order that leaves its recipient in as many places as possible. */
async function leaveTraces(): Promise<{
  orderId: number;
  receiptKey: string;
  body: Record<string, unknown>;
}> {
  resolver.answer({ name: NAME });
  const asked = { currency: 'KES', recipient: PHONE, name: NAME };
  const check = await expectStatus(201, agent.call('POST', '/api/v1/recipients/verify', asked));
  const body = {
    recipient_name: NAME,
    recipient: undefined,
    recipient_details: { phone: PHONE },
    recipient_check_id: check.recipient_check_id,
    callback_url: corridor.receiver.url,
  };
  const headers = { 'idempotency-key': 'traces' };
  const { order_id: orderId } = await expectStatus(201, agent.pay(body, headers));
  await expectStatus(200, lp.claim(orderId));
  await expectStatus(200, lp.release(orderId, { reason: `${PHONE} of ${NAME} is no longer in use` }));
  await db.query(
    't-proposal',
    `insert into approval (action, params, query, body, proposed_by, expires_at)
    values ('POST /api/admin/orders/:id/resolve', $1, '{}', $2, 'admin:root', now())`,
    [{ id: String(orderId) }, { slash_usd: 1, reason: `${NAME} has not got it at ${PHONE}` }],
  );
  const second = await corridor.newLp();
  await turnOn(second, hooks.url);
  await expectStatus(200, second.claim(orderId));
  const { receipt_key: receiptKey } = await expectStatus(201, upload(second, orderId, png));
  await expectStatus(200, second.fiatSent(orderId));
  await expectStatus(200, agent.confirm(orderId));
  await expectStatus(200, agent.settle(orderId, await corridor.payment(agent, orderId)));
  await eventuallyEquals(() => agent.statusOf(orderId), 'completed');
  await eventually(async () => hooks.received.some(({ raw }) => raw.includes('"completed"')));
  await expectNoPendingWebhooks(db);
  return { orderId, receiptKey, body };
}

describe('POST /api/admin/users/:id/forget', () => {
  test('leaves no copy of a recipient or a name in any table or file, and everything else as it was', async () => {
    const name = 'The payer Njeri';
    const { id: userId } = await expectStatus(201, corridor.admin('POST', '/api/admin/users', { name }));
    agent = { ...agent, userId };
    const { orderId, receiptKey, body } = await leaveTraces();
    const live = await agent.newOrder({ recipient: '+254799888777' });
    expect(await columnsWith(db, PHONE)).toEqual(
      expect.arrayContaining([
        'approval.body',
        'order_event.reason',
        'orders.recipient',
        'orders.recipient_details',
        'webhook_delivery.body',
      ]),
    );
    expect(await columnsWith(db, NAME)).toEqual(
      expect.arrayContaining(['idempotency_key.response', 'orders.recipient_name', 'request_note.reason']),
    );
    expect(await columnsWith(db, MASKED_NAME)).toEqual(
      expect.arrayContaining([
        'idempotency_key.response',
        'orders.recipient_check',
        'recipient_check.name_masked',
      ]),
    );
    expect(await columnsWith(db, name)).toEqual(['app_user.name']);
    expect(await columnsWith(db, ANSWER)).toEqual(['webhook_attempt.answer']);
    expect(await files()).toEqual([receiptKey]);
    const timeline = await expectStatus(200, corridor.admin('GET', `/api/admin/orders/${orderId}/timeline`));

    expect(await expectStatus(200, forget(userId))).toEqual({
      user_id: userId,
      masked: 1,
      waiting: 0,
      live: 1,
    });

    for (const text of [PHONE, NAME, MASKED_NAME, name, '254711222333', ANSWER])
      expect([text, await columnsWith(db, text)]).toEqual([text, []]);
    expect(await files()).toEqual([]);
    expect((await agent.call('GET', `/api/receipts/${receiptKey}`)).status).toBe(404);
    const texts = await temporalContents(
      testEnvironment().temporalAddress,
      corridor.config.temporalNamespace,
    );
    expect(texts.filter((text) => text.includes(PHONE) || text.includes(NAME))).toEqual([]);
    expect(
      (
        await db.query<{ recipient: string }>('t-live', `select recipient from orders where id = $1`, [live])
      )[0],
    ).toEqual({
      recipient: '+254799888777',
    });
    const masked = await expectStatus(200, corridor.admin('GET', `/api/admin/orders/${orderId}/timeline`));
    expect(masked).toEqual(
      JSON.parse(JSON.stringify(timeline).replaceAll(PHONE, '•••').replaceAll(NAME, '•••')),
    );
    const { approvals } = await expectStatus(200, corridor.admin('GET', '/api/admin/approvals'));
    expect(approvals).toMatchObject([{ body: { slash_usd: 1, reason: '••• has not got it at •••' } }]);
    // The same payment again creates no second order.
    const again = await agent.pay(body, { 'idempotency-key': 'traces' });
    expect([again.status, again.body.order_id, again.body.fiat_delivery.recipient]).toEqual([
      200,
      orderId,
      '•••',
    ]);
    expect(await expectStatus(200, forget(userId))).toEqual({
      user_id: userId,
      masked: 0,
      waiting: 0,
      live: 1,
    });
    const { events } = await expectStatus(
      200,
      corridor.admin('GET', `/api/admin/audit?object=user:${userId}&limit=100`),
    );
    expect(events).toMatchObject([
      { action: 'POST /api/admin/users/:id/forget', actor: 'admin:root', after: { orders: [orderId] } },
      { action: 'POST /api/admin/users/:id/forget', before: { name: '…' }, after: { name: null } },
      { action: 'POST /api/admin/users' },
    ]);
    await expectSoundWhenStill(corridor);
  });

  test('has the webhooks refused from then on, for the agent and for admins', async () => {
    const [delivery] = await db.query<{ id: number }>(
      't-delivery',
      `select d.id from webhook_delivery d join orders o on o.id = d.order_id where o.masked_at is not null limit 1`,
      [],
    );
    const path = `webhook-deliveries/${delivery?.id}/redeliver`;
    for (const answer of [
      await agent.call('POST', `/api/v1/${path}`, {}),
      await corridor.admin('POST', `/api/admin/${path}`, {}),
    ])
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([409, 'order_masked']);
  });

  test('is refused for an unknown user', async () => {
    expect((await forget(999_999)).status).toBe(404);
  });

  test('finishes later what a failing store of the receipts has held up', async () => {
    const orderId = await agent.newOrder();
    await expectStatus(200, lp.claim(orderId));
    await expectStatus(201, upload(lp, orderId, png));
    await expectStatus(200, lp.fiatSent(orderId));
    await expectStatus(200, agent.confirm(orderId));
    await expectStatus(200, agent.settle(orderId, await corridor.payment(agent, orderId)));
    await eventuallyEquals(() => agent.statusOf(orderId), 'completed');
    await expectNoPendingWebhooks(db);
    const broken = { remove: async () => Promise.reject(new Error('the store hangs')) };
    // An LP's webhook about the end may be queued only now, and its order is masked after it. So a call may leave it for the next.
    const failed = await eventually(async () => {
      const masked = await maskOrders({ db, receipts: broken }, [orderId], 'test');
      return masked.failures.length > 0 && masked;
    });
    expect(failed).toEqual({ ids: [], failures: [new Error('the store hangs')] });
    expect((await files()).length).toBe(1);
    await eventually(async () => (await expectStatus(200, forget(agent.userId))).masked === 1);
    expect(await files()).toEqual([]);
  });
});

test('with PII_RETENTION, upkeep masks the orders that ended longer ago, and no others', async () => {
  const other = await startCorridor({ env: { PII_RETENTION: '1s' } });
  try {
    const payer = await other.newAgent();
    await other.newLp();
    const live = await payer.newOrder({ recipient: '+254799888777' });
    const ended = await payer.newOrder({ recipient: PHONE, recipient_name: NAME });
    await expectStatus(200, payer.cancel(ended));
    await eventually(async () => (await columnsWith(other.db, PHONE)).length === 0);
    const eventsOf = async () =>
      (await expectStatus(200, other.admin('GET', '/api/admin/audit?object=retention'))).events;
    await eventually(async () => (await eventsOf()).length > 0);
    expect(await eventsOf()).toMatchObject([{ actor: 'service', after: { orders: [ended] } }]);
    expect(await columnsWith(other.db, NAME)).toEqual([]);
    expect(await payer.statusOf(live)).toBe('matched');
    expect(await columnsWith(other.db, '+254799888777')).toEqual(
      expect.arrayContaining(['orders.recipient']),
    );
    await expectSoundWhenStill(other);
  } finally {
    await other.stop();
  }
});

import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { DeliveryPage, ListedDeliveryView } from '../../src/api/resources/webhook-deliveries/schemas.ts';
import { eventually } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The receiver's answers to the attempts for each order, in turn. It answers 200 when the list is empty. */
const plans = new Map<number, number[]>();
/** An admin's view of all agents' webhooks. */
const corridor = await useCorridor({
  answerWebhook: (received) => plans.get(received.at(-1)?.body.order_id ?? 0)?.shift() ?? 200,
});
const agents: [Agent, Agent] = [await corridor.newAgent(), await corridor.newAgent()];
const lp = await corridor.newLp();

const page = (query = ''): Promise<DeliveryPage> =>
  expectStatus(200, corridor.admin('GET', `/api/admin/webhook-deliveries${query}`));
const redeliver = (id: number | string) =>
  corridor.admin('POST', `/api/admin/webhook-deliveries/${id}/redeliver`, {});
const withWebhooks = () => ({ callback_url: corridor.receiver.url });

async function claimedOrder(agent: Agent, plan: number[] = []): Promise<number> {
  const id = await agent.newOrder(withWebhooks());
  plans.set(id, plan);
  await expectStatus(200, lp.claim(id));
  return id;
}
/** Waits until the webhook of the order's claim is in this state, and returns it. */
const settled = (orderId: number, state: string): Promise<ListedDeliveryView> =>
  eventually(async () =>
    (await page(`?order_id=${orderId}`)).deliveries.find((each) => each.state === state),
  );
const codes = ({ attempts }: ListedDeliveryView) => attempts.map(({ status_code }) => status_code);

test('lists all agents’ webhooks, newest first, with filters and pages', async () => {
  const [one, other] = agents;
  const givenUp = await claimedOrder(one, [500, 500, 500]);
  const taken = await claimedOrder(other);
  const [failed, delivered] = [await settled(givenUp, 'exhausted'), await settled(taken, 'delivered')];
  expect(failed).toMatchObject({
    ...{ order_id: givenUp, status: 'claimed', agent_key_id: one.keyId, callback_url: corridor.receiver.url },
    attempts: [{ attempt: 1, status_code: 500 }, { attempt: 2 }, { attempt: 3 }],
  });
  expect(delivered).toMatchObject({ order_id: taken, agent_key_id: other.keyId });
  expect(delivered.attempts).toHaveLength(1);

  const all = await page();
  expect(all).toEqual({ deliveries: [delivered, failed], next_cursor: null });
  const first = await page('?limit=1');
  expect(first).toEqual({ deliveries: [delivered], next_cursor: String(delivered.id) });
  expect(await page(`?limit=1&cursor=${first.next_cursor}`)).toEqual({
    deliveries: [failed],
    next_cursor: null,
  });
  expect((await page('?state=exhausted')).deliveries).toEqual([failed]);
  expect((await page('?state=pending')).deliveries).toEqual([]);
  expect((await page(`?order_id=${taken}`)).deliveries).toEqual([delivered]);
  for (const query of ['state=lost', 'order_id=x', 'limit=0']) {
    const { status, body } = await corridor.admin('GET', `/api/admin/webhook-deliveries?${query}`);
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, [query.split('=')[0]]]);
  }
});

test('redelivers an exhausted webhook of any agent', async () => {
  const id = await claimedOrder(agents[1], [500, 500, 500]);
  const delivery = await settled(id, 'exhausted');
  expect(await redeliver(delivery.id)).toMatchObject({ status: 202, body: { ok: true } });
  expect(codes(await settled(id, 'delivered'))).toEqual([500, 500, 500, 200]);

  // The audit says who sent it again. An agent's own redelivery has no event.
  const path = `/api/v1/webhook-deliveries/${delivery.id}/redeliver`;
  await expectStatus(202, agents[1].call('POST', path, {}));
  const audit = `/api/admin/audit?object=webhook_delivery:${delivery.id}`;
  expect((await expectStatus(200, corridor.admin('GET', audit))).events).toMatchObject([
    {
      actor: 'admin:root',
      action: 'POST /api/admin/webhook-deliveries/:id/redeliver',
      result: 'done',
      before: { state: 'exhausted' },
      after: { state: 'pending' },
    },
  ]);
  await settled(id, 'delivered');
});

test('does not redeliver a pending or an unknown webhook', async () => {
  const id = await claimedOrder(agents[0]);
  const delivery = await settled(id, 'delivered');
  await corridor.stopWorker();
  await expectStatus(202, redeliver(delivery.id));
  expect(await redeliver(delivery.id)).toMatchObject({
    status: 409,
    body: { error: 'This webhook is still being sent' },
  });
  for (const unknown of [9_999_999, 'abc']) expect((await redeliver(unknown)).status).toBe(404);
  await corridor.startWorker();
  await settled(id, 'delivered');
});

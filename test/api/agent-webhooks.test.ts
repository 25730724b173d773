import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { expectNoPendingWebhooks } from '../support/soundness.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** `GET /api/v1/webhook-deliveries`: what was sent, and what the receiver has answered. */
const refused = new Set<number>();
const corridor = await useCorridor({
  answerWebhook: (received) => (refused.has(received.at(-1)?.body.order_id ?? 0) ? 500 : 200),
  answerBody: ({ answered }) => (answered === 500 ? 'no such invoice' : 'thank you'),
});
const PATH = '/api/v1/webhook-deliveries';

const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const webhooks = { callback_url: corridor.receiver.url };
const delivered = await agent.newOrder(webhooks);
await expectStatus(200, lp.claim(delivered));
await expectStatus(200, lp.fiatSent(delivered));
await agent.newOrder();
const exhausted = await agent.newOrder(webhooks);
refused.add(exhausted);
await expectStatus(200, agent.cancel(exhausted));
await expectNoPendingWebhooks(corridor.db);

const list = (query = '') => expectStatus(200, agent.call('GET', `${PATH}${query}`));
const brief = ({ deliveries }: { deliveries: { order_id: number; status: string }[] }) =>
  deliveries.map(({ order_id, status }) => [order_id, status]);

test('lists the webhooks of all orders, the newest order first, in pages', async () => {
  const all = [
    [exhausted, 'cancelled'],
    [delivered, 'fiat_sent'],
    [delivered, 'claimed'],
  ];
  expect(brief(await list())).toEqual(all);
  const first = await list('?limit=2');
  expect(brief(first)).toEqual(all.slice(0, 2));
  const last = await list(`?limit=2&cursor=${first.next_cursor}`);
  expect([brief(last), last.next_cursor]).toEqual([all.slice(2), null]);
});

test('lists those in a state', async () => {
  expect(brief(await list('?state=exhausted'))).toEqual([[exhausted, 'cancelled']]);
  expect(brief(await list('?state=pending'))).toEqual([]);
});

test('lists all of an order, the oldest first, with the body and the answers', async () => {
  const found = await list(`?order_id=${delivered}`);
  expect([brief(found), found.next_cursor]).toEqual([
    [
      [delivered, 'claimed'],
      [delivered, 'fiat_sent'],
    ],
    null,
  ]);
  const [{ body, attempts }] = found.deliveries;
  expect(body).toBe(corridor.receiver.received.find(({ raw }) => raw.includes('"claimed"'))?.raw);
  expect(attempts).toMatchObject([{ status_code: 200, answer: 'thank you' }]);
  const [failed] = (await list(`?order_id=${exhausted}`)).deliveries;
  const answers = failed.attempts.map(({ answer }: { answer: string }) => answer);
  expect(answers).toEqual(Array(3).fill('no such invoice'));
});

test.each(['state=delivered', 'cursor=7', 'limit=5'])('refuses order_id with %s', async (more) => {
  const { status, body } = await agent.call('GET', `${PATH}?order_id=${delivered}&${more}`);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('order_id lists all webhooks of the order');
});

test('shows admins the same bodies and answers', async () => {
  const path = `/api/admin/webhook-deliveries?order_id=${delivered}`;
  const { deliveries } = await expectStatus(200, corridor.admin('GET', path));
  const own = (await list(`?order_id=${delivered}`)).deliveries;
  const shown = (of: { body: string; attempts: object[] }[]) =>
    of.map(({ body, attempts }) => JSON.stringify([body, attempts])).sort();
  expect(shown(deliveries)).toEqual(shown(own));
});

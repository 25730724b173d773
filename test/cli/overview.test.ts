import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { adminCli } from '../support/admin-cli.ts';
import { eventually } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The overview in the terminal: webhooks of all agents, the present orders, and the throughput. */

/** The receiver's statuses in sequence, and then 200. */
const answers = [500, 500, 503];
const corridor = await useCorridor({ answerWebhook: () => answers.shift() ?? 200 });
const { shown, json, refused } = adminCli(corridor);
const agent = await corridor.newAgent();

test('"throughput" reports that there are no orders yet', async () => {
  expect(await shown('throughput')).toBe('No order changed its status in this time.\n');
});

test('Webhooks are listed with the last answer of their receiver, and sent again', async () => {
  const lp = await corridor.newLp();
  const orderId = await agent.newOrder({ callback_url: corridor.receiver.url });
  await expectStatus(200, lp.claim(orderId));
  const list = (state: string) => shown(`webhooks list --order ${orderId} --state ${state}`);
  const row = (state: string, attempts: number, answer: number) =>
    new RegExp(
      `^ *(\\d+) +${orderId}  claimed  ${state} +${attempts} +${answer}  20.* ${agent.keyId}  http`,
      'm',
    );
  const id = await eventually(async () => row('exhausted', 3, 503).exec(await list('exhausted'))?.[1]);
  expect(await list('delivered')).toBe('None.\n');

  expect(await shown(`webhooks redeliver ${id}`)).toBe(`Webhook ${id} is sent again.\n`);
  const delivered = row('delivered', 4, 200);
  expect(await eventually(async () => delivered.exec(await list('delivered'))?.[1])).toBe(id);
  const { deliveries } = await json('webhooks list');
  expect(deliveries).toMatchObject([{ id: Number(id), order_id: orderId, state: 'delivered' }]);
});

test.each([
  ['webhooks list --state lost', /^corridor: state: must be one of .*exhausted.* \(400 to GET /],
  ['webhooks list --order x', /^corridor: order_id: .* \(400 to GET /],
  [
    'webhooks redeliver 999999',
    /^corridor: There is no webhook 999999: .* \(404 to POST .*\/999999\/redeliver\)$/,
  ],
  ['webhooks redeliver all', /'all' is invalid/],
  ['webhooks redeliver', /missing required argument 'id'/],
  ['throughput --hours 25', /^corridor: hours: .* \(400 to GET /],
])('"%s" is refused in one line', async (command, line) => {
  expect(await refused(command)).toMatch(line);
});

test('"overview" shows the orders by status, and what waits for an admin', async () => {
  const text = await shown('overview');
  expect(text).toMatch(/^claimed +1 {2}\d{4}-\d\d-\d\d \d\d:\d\d$/m);
  expect(text).toMatch(/^disputed +0 {2}–$/m);
  for (const line of [
    /^disputes to resolve +0$/m,
    /^webhooks exhausted +0$/m,
    /^reconciler running +(yes|no)$/m,
  ])
    expect(text).toMatch(line);
  expect(await json('overview')).toMatchObject({
    waiting_for_admin: {
      disputes: 0,
      frozen_orders: 0,
      pending_lps: 0,
      requested_withdrawals: 0,
      proposals: 0,
      revoked_agent_orders: 0,
    },
  });
});

test('"throughput" counts the transitions into each status, and leaves out statuses without any', async () => {
  const text = await shown('throughput --hours 24');
  expect(text).toMatch(/^from \(UTC\) +matched {2}claimed +completed USD$/m);
  expect(text).toContain('Each line is 8 minutes');
  const { buckets } = await json('throughput');
  const claims = buckets.map(({ entered }: { entered: { claimed: number } }) => entered.claimed);
  expect(Math.max(...claims)).toBe(1);
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Agent, claim, newAgent, newLp, newOrder } from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../../support/processes.ts';

/** The overview in the terminal: webhooks of all agents, the present orders, and the throughput. */
let corridor: TestCorridor;
let agent: Agent;
let orderId: number;
/** The receiver's statuses in sequence, and then 200. */
const answers = [500, 500, 503];
beforeAll(async () => {
  corridor = await startCorridor({ answerWebhook: () => answers.shift() ?? 200 });
  agent = await newAgent(corridor);
});
afterAll(() => corridor.stop());

const admin = async (...args: string[]) => {
  const env = { PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY };
  const process = run('src/cli/main.ts', args, env);
  const exit = await process.ended;
  return { exit, stdout: process.stdout(), stderr: process.stderr() };
};
const shown = async (...args: string[]): Promise<string> => {
  const { exit, stdout, stderr } = await admin(...args);
  expect([exit, stderr]).toEqual([0, '']);
  return stdout;
};
const refused = async (...args: string[]): Promise<string> => {
  const { exit, stdout, stderr } = await admin(...args);
  expect([exit, stdout]).toEqual([1, '']);
  return stderr;
};

test('throughput reports that there are no orders yet', async () => {
  expect(await shown('throughput')).toBe('No order changed its status in this time.\n');
});

describe('webhooks', () => {
  test('are listed with the last answer of their receiver, and sent again', async () => {
    const lp = await newLp(corridor);
    orderId = await newOrder(agent, { callback_url: corridor.receiver.url });
    expect((await claim(lp, orderId)).status).toBe(200);
    const list = (state: string) => shown('webhooks', 'list', '--order', String(orderId), '--state', state);
    const row = (state: string, attempts: number, answer: number) =>
      new RegExp(
        `^ *(\\d+) +${orderId}  claimed  ${state} +${attempts} +${answer}  20.* ${agent.keyId}  http`,
        'm',
      );
    const id = await eventually(async () => row('exhausted', 3, 503).exec(await list('exhausted'))?.[1]);
    expect(await list('delivered')).toBe('None.\n');

    expect(await shown('webhooks', 'redeliver', id)).toBe(`Webhook ${id} is sent again.\n`);
    const delivered = row('delivered', 4, 200);
    expect(await eventually(async () => delivered.exec(await list('delivered'))?.[1])).toBe(id);
    const { deliveries } = JSON.parse(await shown('webhooks', 'list', '--json'));
    expect(deliveries).toMatchObject([{ id: Number(id), order_id: orderId, state: 'delivered' }]);
  });

  test.each([
    [['list', '--state', 'lost'], /^corridor: state: must be one of .*exhausted.* \(400 to GET /],
    [['list', '--order', 'x'], /^corridor: order_id: .* \(400 to GET /],
    [
      ['redeliver', '999999'],
      /^corridor: There is no webhook 999999: .* \(404 to POST .*\/999999\/redeliver\)$/m,
    ],
    [['redeliver', 'all'], /'all' is invalid/],
    [['redeliver'], /missing required argument 'id'/],
  ])('refuses %j in one line', async (args, line) => {
    expect(await refused('webhooks', ...args)).toMatch(line);
  });
});

test('overview shows the orders by status, and what waits for an admin', async () => {
  const text = await shown('overview');
  expect(text).toMatch(/^claimed +1 {2}\d{4}-\d\d-\d\d \d\d:\d\d$/m);
  expect(text).toMatch(/^disputed +0 {2}–$/m);
  for (const line of [
    /^disputes to resolve +0$/m,
    /^webhooks exhausted +0$/m,
    /^reconciler running +(yes|no)$/m,
  ])
    expect(text).toMatch(line);
  expect(JSON.parse(await shown('overview', '--json'))).toMatchObject({
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

test('throughput counts the transitions into each status, and leaves out statuses without any', async () => {
  const text = await shown('throughput', '--hours', '24');
  expect(text).toMatch(/^from \(UTC\) +matched {2}claimed +completed USD$/m);
  expect(text).toContain('Each line is 8 minutes');
  const { buckets } = JSON.parse(await shown('throughput', '--json'));
  const claims = buckets.map(({ entered }: { entered: { claimed: number } }) => entered.claimed);
  expect(Math.max(...claims)).toBe(1);
  expect(await refused('throughput', '--hours', '25')).toMatch(/^corridor: hours: .* \(400 to GET /);
});

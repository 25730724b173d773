import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { TEST_HASHES, TEST_RECIPIENTS } from '../../../src/domain/sandbox-values.ts';
import { type Agent, cancel, expireNow, newAgent, newOrder } from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { run, type TestProcess } from '../../support/processes.ts';

/** `npm run sandbox:lp` handles orders as each test recipient specifies. */
let corridor: TestCorridor;
let agent: Agent;
let lps: TestProcess;
beforeAll(async () => {
  // Strikes cause cool-downs, as with the default settings. The simulated LPs must handle them.
  corridor = await startCorridor({ env: { STRIKE_COOL_DOWN: '15m', LP_AUTO_APPROVE: 'false' } });
  agent = await newAgent(corridor);
  lps = run('companion/sandbox-lp.ts', ['--rate', 'KES=129.5', '--rate', 'UGX=3700'], {
    ...{ PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY, WEBHOOK_SECRET },
  });
  await eventually(async () => lps.stdout().includes('Their actions:'));
});
afterAll(async () => {
  lps.kill('SIGTERM');
  await lps.ended;
  await corridor.stop();
});

/** The order's transitions, each with its actor and cause. */
const transitionsOf = async (id: number): Promise<string[]> => {
  const { transitions } = await expectStatus(200, agent.call('GET', `/api/v1/orders/${id}/timeline`));
  return transitions
    .slice(1)
    .filter(({ cause }: { cause: string }) => cause !== 'expireNow')
    .map(({ status, actor, cause }: Record<string, string>) => `${status} by ${actor}: ${cause}`);
};
const CLAIMED = 'claimed by lp: claim';
const SENT = 'fiat_sent by lp: fiatSent';
const MISSED = 'matched by service: deadline';
const EXPECTED: Record<keyof typeof TEST_RECIPIENTS, string[]> = {
  '+99900000001': [CLAIMED, SENT],
  '+99900000002': ['cancelled by service: deadline'],
  '+99900000003': [CLAIMED, MISSED, CLAIMED, SENT],
  '+99900000004': [CLAIMED, MISSED, CLAIMED, MISSED, 'cancelled by service: deadline'],
  '+99900000005': [CLAIMED, 'matched by lp: release', CLAIMED, SENT],
  '+99900000006': [CLAIMED, SENT, 'disputed by lp: dispute'],
  '+99900000007': [CLAIMED],
};

// Each runs twice: the effects of one order on the LPs must not change the next order.
test.each([...Object.entries(EXPECTED), ...Object.entries(EXPECTED)])(
  'an order for %s',
  async (recipient, transitions) => {
    const id = await newOrder(agent, { recipient });
    await eventually(async () => (await transitionsOf(id)).length >= transitions.length);
    expect(await transitionsOf(id)).toEqual(transitions);
  },
);

test('an LP takes over while the other one cools down, and both go on after strikes of both', async () => {
  const waiting = await newOrder(agent, { recipient: '+99900000007' });
  const paidBy = async (): Promise<string | undefined> => {
    const id = await newOrder(agent, { recipient: '+99900000001' });
    // The program prints it after the answer, so later than the transition.
    const printed = new RegExp(`order ${id}: (Sandbox LP .) sends the fiat`);
    const [, name] = await eventually(async () => printed.exec(lps.stdout()));
    return name;
  };
  const strike = async (claims: number): Promise<void> => {
    await eventually(async () => (await transitionsOf(waiting)).length === claims);
    await expectStatus(200, expireNow(agent, waiting));
  };
  await strike(1);
  expect(await paidBy()).toBe('Sandbox LP B');
  await strike(3);
  await eventually(async () => {
    const { lps: all } = await expectStatus(200, corridor.admin('GET', '/api/admin/lps?status=approved'));
    return all.every((lp: { cooling_down_until: string | null }) => lp.cooling_down_until === null);
  });
  expect(await paidBy()).toBe('Sandbox LP A');
  await expectStatus(200, cancel(agent, waiting));
});

test('the LPs accept every token and all of their currencies, and do not claim other orders', async () => {
  const others = [await newOrder(agent), await newOrder(agent, { recipient: '+99900000099' })];
  const terms = { currency: 'UGX', amount: 37_000, crypto_symbol: 'usdc', crypto_chain: 'base' };
  const id = await newOrder(agent, { ...terms, recipient: '+99900000001' });
  await eventually(async () => (await transitionsOf(id)).length === 2);
  for (const other of others) expect(await transitionsOf(other)).toEqual([]);
  const { orders } = await expectStatus(200, corridor.admin('GET', '/sandbox/orders'));
  expect(orders).toEqual([]);
});

test('the LPs continue after Corridor was unreachable', async () => {
  await corridor.stopApi();
  await eventually(async () => lps.stdout().includes('A call to Corridor failed; retrying'));
  await corridor.startApi();
  const id = await newOrder(agent, { recipient: '+99900000001' });
  await eventually(async () => (await transitionsOf(id)).length === 2);
});

test('no LP stays approved: not at the end, and not after a run that was killed', async () => {
  const approved = async () =>
    (await expectStatus(200, corridor.admin('GET', '/api/admin/lps?status=approved'))).lps.length;
  expect(await approved()).toBe(2);
  lps.kill('SIGKILL');
  await lps.ended;
  lps = run('companion/sandbox-lp.ts', [], {
    ...{ PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY, WEBHOOK_SECRET },
  });
  await eventually(async () => lps.stdout().includes('Their actions:'));
  expect(await approved()).toBe(2);
  lps.kill('SIGINT');
  expect([await lps.ended, lps.stderr()]).toEqual([130, '']);
  expect(await approved()).toBe(0);
});

test('docs/sandbox.md lists every test value with its meaning', () => {
  const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
  for (const [value, { means }] of Object.entries(TEST_RECIPIENTS))
    expect(page).toContain(`| \`${value}\` | ${means} |`);
  for (const [value, { means }] of Object.entries(TEST_HASHES))
    expect(page).toContain(`| \`${value}…\` | ${means} |`);
});

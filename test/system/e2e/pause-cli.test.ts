import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { type Agent, newAgent, newLp, pay, statusOf } from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../../support/processes.ts';
import { claim, fiatSent, newOrder } from '../../support/repeated-steps.ts';

/** Pauses and revocations in the terminal. */
let corridor: TestCorridor;
let agent: Agent;
beforeAll(async () => {
  corridor = await startCorridor();
  agent = await newAgent(corridor);
});
afterAll(() => corridor.stop());

const admin = async (...args: string[]) => {
  const env = { PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY };
  const process = run('src/cli/main.ts', args, env);
  return { exit: await process.ended, stdout: process.stdout(), stderr: process.stderr() };
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

test('pause, pauses, overview and resume agree', async () => {
  await newLp(corridor);
  expect(await shown('pauses')).toBe('None.\n');
  expect(await shown('pause', '--currency', 'kes', '--reason', 'the network is down')).toBe(
    'New payments and claims are paused: KES.\n',
  );
  expect(await shown('pause', '--currency', 'KES', '--reason', 'the network is slow')).toBe(
    'New payments and claims were paused already: KES. The reason is now “the network is slow” instead of “the network is down”.\n',
  );
  await shown('pause', '--agent', String(agent.keyId), '--reason', 'it was broken into');
  expect(await pay(agent)).toMatchObject({ status: 503 });
  expect(await shown('pauses')).toMatch(
    /^KES +20.* the network is slow\nagent key \d+ +20.* it was broken into$/m,
  );
  expect(await shown('overview')).toMatch(/^paused +KES; agent key \d+$/m);

  expect(await refused('resume')).toMatch(
    /^corridor: There is no pause of everything\. In force: KES; agent key/,
  );
  expect(await shown('resume', '--agent', String(agent.keyId))).toMatch(/ Still in force: KES\.$/m);
  expect(await shown('resume', '--currency', 'kes')).toBe(
    'The pause of KES is over. Still in force: none.\n',
  );
  expect(await refused('resume', '--currency', 'KES')).toBe(
    'corridor: There is no pause of KES. In force: none.\n',
  );
  expect((await pay(agent)).status).toBe(201);
});

test('why names the pauses that block an order, until it is claimed', async () => {
  const [lp, id] = [await newLp(corridor), await newOrder(agent)];
  const { temporalNamespace: TEMPORAL_NAMESPACE } = corridor.config;
  const { databaseUrl: DATABASE_URL, temporalAddress: TEMPORAL_ADDRESS } = corridor.shared;
  const why = async () => {
    const env = { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE };
    const process = run('src/cli/main.ts', ['why', String(id)], env);
    expect(await process.ended).toBe(0);
    return process.stdout();
  };
  await shown('pause', '--currency', 'NGN', '--reason', 'another currency');
  expect(await why()).not.toContain('pause');
  await shown('pause', '--reason', 'we look into a report');
  expect(await why()).toContain('pause: new payments and claims are paused: we look into a report');
  await shown('resume');
  await expectStatus(200, claim(lp, id));
  await shown('pause', '--reason', 'again');
  expect(await why()).not.toContain('pause');
  await shown('resume');
  await shown('resume', '--currency', 'NGN');
});

test.each([
  [['pause'], /required option '--reason <text>'/],
  [['pause', '--agent', 'x', '--reason', 'y'], /'x' is invalid/],
  [
    ['pause', '--agent', '999999', '--reason', 'y'],
    /agent_key_id: is not an agent key: there is none with the id 999999 \(400/,
  ],
])('%j is refused in one line', async (args, line) => {
  expect(await refused(...args)).toMatch(line);
});

test('the orders of a revoked key that an admin must decide are listed', async () => {
  const lp = await newLp(corridor);
  const [paidOut, open] = [await newOrder(agent), await newOrder(agent)];
  await expectStatus(200, claim(lp, paidOut));
  await expectStatus(200, fiatSent(lp, paidOut));
  expect(await statusOf(agent, open)).toBe('matched');
  await shown('keys', 'revoke', String(agent.keyId));
  const list = await eventually(async () => {
    const text = await shown('orders', 'list', '--revoked-agent');
    // A claimed order ends with its grace.
    return !/matched|claimed/.test(text) && text;
  });
  expect(list).toMatch(new RegExp(`^ *${paidOut} +fiat_sent`, 'm'));
  expect(await shown('overview')).toMatch(/^orders of revoked agents +1$/m);
});

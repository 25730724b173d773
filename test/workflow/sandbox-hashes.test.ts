import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../demo/http.ts';
import type { TEST_HASHES } from '../../src/domain/sandbox-values.ts';
import {
  type Agent,
  confirmedOrder,
  lastTransition,
  newAgent,
  newLp,
  settle,
  statusOf,
  type TestLp,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';

/** Transactions whose hash says what the simulated chain is to say of them. */
let corridor: TestCorridor;
let agent: Agent;
let lp: TestLp;
beforeAll(async () => {
  corridor = await startCorridor();
  agent = await newAgent(corridor);
  lp = await newLp(corridor);
});
afterAll(() => corridor.stop());

let count = 0;
/** Names a transaction that begins like this and is no other. */
const settledWith = async (id: number, prefix: string): Promise<void> => {
  count += 1;
  await expectStatus(200, settle(agent, id, `0x${prefix.toUpperCase()}${count}`));
};

test.each<[keyof typeof TEST_HASHES, string, string | null]>([
  ['sandbox-paid-', 'completed', null],
  ['sandbox-overpaid-', 'completed', 'The transaction pays 10.10025, 0.05025 more than is owed'],
  ['sandbox-underpaid-', 'confirmed', 'The transaction pays 5.025, not 10.050000'],
  ['sandbox-misdirected-', 'confirmed', 'The transaction pays another address than the LP’s'],
])('%s… makes the order %s', async (prefix, status, reason) => {
  const id = await confirmedOrder(agent, lp);
  await settledWith(id, prefix);
  await eventually(async () => (await lastTransition(corridor.admin, id)).actor === 'service');
  expect(await lastTransition(corridor.admin, id)).toMatchObject({ status, reason });
});

test('the third that is not the payment makes it disputed', async () => {
  const id = await confirmedOrder(agent, lp);
  for (const after of ['confirmed', 'confirmed', 'disputed']) {
    await settledWith(id, 'sandbox-underpaid-');
    await eventuallyEquals(() => statusOf(agent, id), after);
  }
});

test.each<[keyof typeof TEST_HASHES, string]>([
  ['sandbox-pending-', 'The transaction is not final: a test value, which is never final'],
  ['sandbox-missing-', 'No such transaction yet'],
])('%s… leaves it waiting until its deadline', async (prefix, seen) => {
  const id = await confirmedOrder(agent, lp);
  await settledWith(id, prefix);
  expect(await statusOf(agent, id)).toBe('crypto_verify_pending');
  const fired = await expectStatus(200, agent.call('POST', `/sandbox/orders/${id}/advance`, {}));
  expect(fired).toMatchObject({
    ...{ deadline: 'verify', status: 'disputed' },
    reason: `The transaction was not final on its chain in time: ${seen}`,
  });
});

test('a transaction pays one order, as on any chain', async () => {
  const [one, other] = [await confirmedOrder(agent, lp), await confirmedOrder(agent, lp)];
  await expectStatus(200, settle(agent, one, 'sandbox-paid-once'));
  expect((await settle(agent, other, 'sandbox-paid-once')).status).toBe(409);
});

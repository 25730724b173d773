import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { TEST_HASHES } from '../../src/domain/sandbox-values.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Test hashes, which determine the simulated chain's verdict. */
const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp();

let count = 0;
/** A unique hash with this prefix. */
const settledWith = async (id: number, prefix: string): Promise<void> => {
  count += 1;
  await expectStatus(200, agent.settle(id, `0x${prefix.toUpperCase()}${count}`));
};

test.each<[keyof typeof TEST_HASHES, string, RegExp | null]>([
  ['sandbox-paid-', 'completed', null],
  ['sandbox-overpaid-', 'confirmed', /pays 10.1\d+ usdt, not exactly 10.05\d*: 0.05\d+ more/],
  ['sandbox-underpaid-', 'confirmed', /pays 5.02\d* usdt, not exactly 10.05\d*: 5.02\d* less/],
  ['sandbox-misdirected-', 'confirmed', /^The transaction pays another address than it should$/],
])('%s… makes the order %s', async (prefix, status, reason) => {
  const id = await agent.confirmedOrder(lp);
  await settledWith(id, prefix);
  await eventually(async () => (await corridor.lastTransition(id)).actor === 'service');
  expect(await corridor.lastTransition(id)).toMatchObject({
    status,
    reason: reason && expect.stringMatching(reason),
  });
});

test('the third invalid transaction opens a dispute', async () => {
  const id = await agent.confirmedOrder(lp);
  for (const after of ['confirmed', 'confirmed', 'disputed']) {
    await settledWith(id, 'sandbox-underpaid-');
    await eventuallyEquals(() => agent.statusOf(id), after);
  }
});

test.each<[keyof typeof TEST_HASHES, string]>([
  ['sandbox-pending-', 'The transaction is not final: a test value, which is never final'],
  ['sandbox-missing-', 'No such transaction yet'],
])('%s… leaves the order pending until its deadline', async (prefix, seen) => {
  const id = await agent.confirmedOrder(lp);
  await settledWith(id, prefix);
  expect(await agent.statusOf(id)).toBe('crypto_verify_pending');
  const expired = await expectStatus(200, agent.call('POST', `/sandbox/orders/${id}/advance`, {}));
  expect(expired).toMatchObject({
    ...{ deadline: 'verify', status: 'disputed' },
    reason: `The transaction was not final on its chain in time: ${seen}`,
  });
});

test('a transaction pays one order, as on any chain', async () => {
  const [one, other] = [await agent.confirmedOrder(lp), await agent.confirmedOrder(lp)];
  await expectStatus(200, agent.settle(one, 'sandbox-paid-once'));
  await eventuallyEquals(() => agent.statusOf(one), 'completed');
  await expectStatus(200, agent.settle(other, 'SANDBOX-paid-once'));
  await eventuallyEquals(() => agent.statusOf(other), 'confirmed');
});

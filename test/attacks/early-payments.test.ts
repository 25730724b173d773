import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import {
  claim,
  completedOrder,
  confirm,
  fiatSent,
  lastTransition,
  newAgent,
  newLp,
  newOrder,
  release,
  settle,
  statusOf,
  type TestLp,
  transaction,
} from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { corridorForFile } from '../support/file-corridor.ts';

/** A transfer to the LP from before the claim pays for something else, no matter which agent presents it. */
const corridor = await corridorForFile({ env: { PAYMENT_CLOCK_SKEW: '0s' } });
const agent = await newAgent(corridor);

/** A payment of what the order owes. */
async function paymentOf(orderId: number, to: TestLp): Promise<string> {
  const { crypto_amount } = await expectStatus(200, agent.call('GET', `/api/v1/status/${orderId}`));
  return transaction(corridor.anyone, to.address, crypto_amount);
}

async function confirmed(lp: TestLp, orderId: number): Promise<void> {
  await expectStatus(200, claim(lp, orderId));
  await expectStatus(200, fiatSent(lp, orderId));
  await expectStatus(200, confirm(agent, orderId));
}

async function expectTooEarly(orderId: number, hash: string): Promise<void> {
  await expectStatus(200, settle(agent, orderId, hash));
  const decided = async () => (await lastTransition(corridor.admin, orderId)).actor === 'service';
  await eventually(decided);
  expect(await lastTransition(corridor.admin, orderId)).toMatchObject({
    ...{ status: 'confirmed', cause: 'invalid' },
    reason: expect.stringMatching(
      /^The transaction is from .*Z, before what it should pay for: only one from/,
    ),
  });
}

test('a transfer between the order’s creation and its claim does not pay it; one after the claim does', async () => {
  const lp = await newLp(corridor);
  const id = await newOrder(agent);
  const early = await paymentOf(id, lp);
  await confirmed(lp, id);
  await expectTooEarly(id, early);
  await expectStatus(200, settle(agent, id, await paymentOf(id, lp)));
  await eventually(async () => (await statusOf(agent, id)) === 'completed');
});

test('after a reoffer only the latest claim counts', async () => {
  const [first, second] = [await newLp(corridor), await newLp(corridor)];
  const id = await newOrder(agent);
  await expectStatus(200, claim(first, id));
  const early = await paymentOf(id, second);
  await expectStatus(200, release(first, id));
  await confirmed(second, id);
  await expectTooEarly(id, early);
});

test('an honest payer of the same LP is not affected', async () => {
  const lp = await newLp(corridor);
  expect(await completedOrder(corridor, agent, lp)).toBeGreaterThan(0);
});

import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** A transfer to the LP from before the claim pays for something else, no matter which agent presents it. */
const corridor = await useCorridor({ env: { PAYMENT_CLOCK_SKEW: '0s' } });
const agent = await corridor.newAgent();

/** A payment of what the order owes. */
async function paymentOf(orderId: number, to: TestLp): Promise<string> {
  const { crypto_amount } = await expectStatus(200, agent.call('GET', `/api/v1/status/${orderId}`));
  return corridor.transaction(to.address, crypto_amount);
}

async function confirmed(lp: TestLp, orderId: number): Promise<void> {
  await expectStatus(200, lp.claim(orderId));
  await expectStatus(200, lp.fiatSent(orderId));
  await expectStatus(200, agent.confirm(orderId));
}

async function expectTooEarly(orderId: number, hash: string): Promise<void> {
  await expectStatus(200, agent.settle(orderId, hash));
  const decided = async () => (await corridor.lastTransition(orderId)).actor === 'service';
  await eventually(decided);
  expect(await corridor.lastTransition(orderId)).toMatchObject({
    ...{ status: 'confirmed', cause: 'invalid' },
    reason: expect.stringMatching(
      /^The transaction is from .*Z, before what it should pay for: only one from/,
    ),
  });
}

test('a transfer between the order’s creation and its claim does not pay it; one after the claim does', async () => {
  const lp = await corridor.newLp();
  const id = await agent.newOrder();
  const early = await paymentOf(id, lp);
  await confirmed(lp, id);
  await expectTooEarly(id, early);
  await expectStatus(200, agent.settle(id, await paymentOf(id, lp)));
  await eventually(async () => (await agent.statusOf(id)) === 'completed');
});

test('after a reoffer only the latest claim counts', async () => {
  const [first, second] = [await corridor.newLp(), await corridor.newLp()];
  const id = await agent.newOrder();
  await expectStatus(200, first.claim(id));
  const early = await paymentOf(id, second);
  await expectStatus(200, first.release(id));
  await confirmed(second, id);
  await expectTooEarly(id, early);
});

test('an honest payer of the same LP is not affected', async () => {
  const lp = await corridor.newLp();
  expect(await corridor.completedOrder(agent, lp)).toBeGreaterThan(0);
});

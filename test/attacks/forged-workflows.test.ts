import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { createIntruder } from '../support/intruder.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { stateOf } from '../support/take-step.ts';

/** An intruder with access to Temporal ends the workflow of an order and starts another one with forged input. */
const corridor = await startCorridor();
const intruder = await createIntruder(corridor);
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
afterAll(async () => {
  await intruder.leave();
  await corridor.stop();
});

const replaceWorkflow = async (orderId: number, made: Partial<OrderState>) =>
  intruder.replaceWorkflow(orderId, { ...(await stateOf(corridor.db, orderId)), ...made });
const PAST = '2020-01-01T00:00:00.000Z';

async function claimedOrder(): Promise<number> {
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  return id;
}
test.each<[string, Partial<OrderState>]>([
  ['the deadline has passed, for the third time', { timeoutAt: PAST, reoffers: 2 }],
  ['the order belongs to another LP', { lpId: 999_999 }],
  ['the order has been confirmed', { status: 'confirmed' }],
  [
    'the order is being verified, and late',
    { status: 'crypto_verify_pending', timeoutAt: PAST, txHash: 'ab' },
  ],
])('a workflow whose forged input says that %s harms no party', async (_what, made) => {
  const id = await claimedOrder();
  const [before, collateral] = [await corridor.rowOf(id), await corridor.collateralOf(lp)];
  await replaceWorkflow(id, made);
  // The forged workflow first acts on its input, and then reads the row.
  await eventually(async () => {
    // Another status at the same version may mean that the database has lost commits, so an admin decides.
    if ((await corridor.rowOf(id)).frozen) await expectStatus(200, corridor.adminDoes('unfreeze', id));
    return (await lp.fiatSent(id)).status === 200;
  });
  const row = await corridor.rowOf(id);
  expect(row).toMatchObject({ status: 'fiat_sent', lp_id: before.lp_id });
  const left = Date.parse(row.timeout_at) - Date.now();
  expect(left).toBeGreaterThan(corridor.config.durations.confirm / 2);
  expect(await corridor.collateralOf(lp)).toEqual(collateral);
  await expectStatus(200, agent.confirm(id));
  await expectStatus(200, agent.settle(id, await corridor.payment(agent, id)));
  await eventuallyEquals(() => agent.statusOf(id), 'completed');
});

test('a workflow whose forged input has no pending webhooks sends those of the order', async () => {
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  await expectStatus(200, lp.claim(id));
  const receivedCount = () => corridor.receiver.received.filter(({ body }) => body.order_id === id).length;
  const states = async () => {
    const rows = await corridor.db.query<{ state: string }>(
      'states-of-webhooks',
      'select state from webhook_delivery where order_id = $1',
      [id],
    );
    return rows.map(({ state }) => state).join();
  };
  await eventuallyEquals(states, 'delivered');
  // As if the workflow had been replaced between the claim and the first attempt.
  await corridor.db.query(
    'never-attempted',
    `with made as (
      delete from webhook_attempt where delivery_id in (select id from webhook_delivery where order_id = $1)
    )
    update webhook_delivery set state = 'pending', attempts = 0, finished_at = null, created_at = now() - interval '1 minute'
    where order_id = $1`,
    [id],
  );
  await replaceWorkflow(id, {});
  await eventuallyEquals(states, 'delivered');
  expect(receivedCount()).toBe(2);
  // Its next step updates its search attributes in Temporal.
  await expectStatus(200, lp.fiatSent(id));
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));

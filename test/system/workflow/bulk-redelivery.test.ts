import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { redeliverExhausted } from '../../../src/operations/bulk/redeliver-exhausted.ts';
import { claim, newAgent, newLp, newOrder, type TestLp } from '../../support/actors.ts';
import { bulk, dryRun, endedRun, startRun } from '../../support/bulk.ts';
import { INSTALLATION_TIMEOUTS, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { type CrashingProcesses, createCrashingProcesses } from '../../support/crashing-processes.ts';
import { eventuallyEquals } from '../../support/eventually.ts';

/** Webhooks that a bulk run sends again. */
let corridor: TestCorridor;
let processes: CrashingProcesses;
let lp: TestLp;
/** The receiver's next answers. It answers 200 when the list is empty. */
let answers: number[] = [];
beforeAll(async () => {
  corridor = await startCorridor({
    timeouts: INSTALLATION_TIMEOUTS,
    answerWebhook: () => answers.shift() ?? 200,
  });
  processes = createCrashingProcesses(corridor, corridor.databaseUrl);
  lp = await newLp(corridor);
});
afterAll(async () => {
  await processes.end();
  await corridor.stop();
});

const FAILS = [500, 500, 500];

/** Waits until the only webhook of the order has this state after so many attempts. */
const reaches = (orderId: number, state: string, attempts: number) =>
  eventuallyEquals(async () => {
    const path = `/api/admin/webhook-deliveries?order_id=${orderId}`;
    const { deliveries } = await expectStatus(200, corridor.admin('GET', path));
    return deliveries
      .map((delivery: { state: string; attempts: [] }) => `${delivery.state} ${delivery.attempts.length}`)
      .join();
  }, `${state} ${attempts}`);

/** Two claimed orders of an agent of their own: the webhook of the first is exhausted, that of the other delivered. */
async function twoOrders() {
  const agent = await newAgent(corridor);
  const withWebhook = { callback_url: corridor.receiver.url };
  const [failed, delivered] = [await newOrder(agent, withWebhook), await newOrder(agent, withWebhook)];
  await expectStatus(200, claim(lp, delivered));
  await reaches(delivered, 'delivered', 1);
  answers = [...FAILS];
  await expectStatus(200, claim(lp, failed));
  await reaches(failed, 'exhausted', 3);
  return { failed, delivered, where: `agent=${agent.keyId}` };
}

test('sends exhausted webhooks again, and no others', async () => {
  const { failed, delivered, where } = await twoOrders();
  const run = await bulk(corridor.admin, 'redeliver', where);
  expect(run).toMatchObject({ orders: 1, outcomes: [{ outcome: 'applied', reason: null, orders: 1 }] });
  await reaches(failed, 'delivered', 4);
  await reaches(delivered, 'delivered', 1);
  const [delivery] = (
    await expectStatus(200, corridor.admin('GET', `/api/admin/webhook-deliveries?order_id=${failed}`))
  ).deliveries;
  const path = `/api/admin/audit?object=webhook_delivery:${delivery.id}`;
  expect((await expectStatus(200, corridor.admin('GET', path))).events).toMatchObject([
    { actor: 'admin:root', before: { state: 'exhausted' }, after: { state: 'pending' } },
  ]);
});

test('a repeat reopens no webhook again', async () => {
  const { failed, where } = await twoOrders();
  const { db, gateway, log } = corridor.shared;
  const { id } = await dryRun(corridor.admin, 'redeliver', where);
  answers = [...FAILS];
  await redeliverExhausted({ db, gateway, log }, id, [failed]);
  await reaches(failed, 'exhausted', 6);
  // As after the crash of a worker that had not reported the end of its activity.
  await redeliverExhausted({ db, gateway, log }, id, [failed]);
  await reaches(failed, 'exhausted', 6);
});

test('a webhook that its order has sent again meanwhile is left alone', async () => {
  const { failed, where } = await twoOrders();
  const [first, second] = [
    await dryRun(corridor.admin, 'redeliver', where),
    await dryRun(corridor.admin, 'redeliver', where),
  ];
  await startRun(corridor.admin, first.id);
  await reaches(failed, 'delivered', 4);
  await startRun(corridor.admin, second.id);
  expect(await endedRun(corridor.admin, second.id)).toMatchObject({
    outcomes: [{ outcome: 'moved', reason: null, orders: 1 }],
  });
  await reaches(failed, 'delivered', 4);
});

test('a worker that dies before its signal sends the webhook once, from another worker', async () => {
  const { failed, where } = await twoOrders();
  const { id } = await dryRun(corridor.admin, 'redeliver', where);
  await corridor.stopWorker();
  await startRun(corridor.admin, id);
  const { died } = await processes.start('worker', 'redelivery.reopened');
  await died();
  await corridor.startWorker();
  await endedRun(corridor.admin, id);
  await reaches(failed, 'delivered', 4);
});

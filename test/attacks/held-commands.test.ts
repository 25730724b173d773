import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { createIntruder, type Intruder } from '../support/intruder.ts';
import { stateOf } from '../support/take-step.ts';
import { unanswered } from '../support/unanswered.ts';
import { useCorridor } from '../support/use-corridor.ts';

/**
 * Somebody who reaches Temporal holds a signed command back, whose caller gets a 503, and delivers it when the order has
 * come to the same status again. Signatures hold for half a day.
 */
const corridor = await useCorridor();

async function withIntruder(attack: (intruder: Intruder) => Promise<void>): Promise<void> {
  const intruder = await createIntruder(corridor);
  try {
    await attack(intruder);
  } finally {
    await intruder.leave();
  }
}

/** Has a caller send a command that no worker carries out. Returns the command's message, which is in nobody's way any more. */
async function held(intruder: Intruder, orderId: number, name: string, send: () => Promise<unknown>) {
  await corridor.stopWorker();
  await unanswered(corridor, send);
  // Temporal shows a signal late if the worker has left a task behind.
  const [message] = await eventually(async () => {
    const found = await intruder.readSignals(orderId, name);
    return found.length > 0 && found;
  });
  await intruder.replaceWorkflow(orderId, await stateOf(corridor.db, orderId));
  await corridor.startWorker();
  return message;
}

/** The result that is recorded for a request. */
async function outcomeOf(requestId: string | undefined): Promise<string | undefined> {
  const sql = 'select result from order_outcome where request_id = $1';
  const [row] = await corridor.db.query<{ result: string }>('outcome-of', sql, [requestId]);
  return row?.result;
}

test('a resolution that an admin made of one dispute does not resolve a later one of the order', async () => {
  await withIntruder(async (intruder) => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
    const id = await agent.confirmedOrder(lp);
    const hash = await corridor.payment(agent, id, { final_after_ms: 600_000 });
    await expectStatus(200, agent.settle(id, hash));
    const missDeadline = async () => {
      await expectStatus(200, lp.expireNow(id));
      await eventuallyEquals(() => agent.statusOf(id), 'disputed');
    };
    await missDeadline();
    const message = await held(intruder, id, 'resolve', async () => {
      const answer = await corridor.adminDoes('resolve', id, {
        outcome: 'cancelled',
        slash_usd: 5,
      });
      expect(answer.status).toBe(503);
    });
    // The admin thinks again: the payment may come.
    await expectStatus(200, corridor.adminDoes('retry-verification', id));
    await missDeadline();
    await intruder.signal(id, 'resolve', message);
    await eventuallyEquals(() => outcomeOf(message?.requestId), 'order_moved');
    expect(await corridor.rowOf(id)).toMatchObject({ status: 'disputed', slashed_usd: null });
    await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'cancelled', slash_usd: 0 }));
  });
});

test('a cancellation of an open order does not cancel it after a claim and its release', async () => {
  await withIntruder(async (intruder) => {
    const [agent, lp, other] = [await corridor.newAgent(), await corridor.newLp(), await corridor.newLp()];
    const id = await agent.newOrder();
    const message = await held(intruder, id, 'cancel', async () => {
      expect((await agent.cancel(id)).status).toBe(503);
    });
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, lp.release(id));
    await intruder.signal(id, 'cancel', message);
    await eventuallyEquals(() => outcomeOf(message?.requestId), 'order_moved');
    await expectStatus(200, other.claim(id));
  });
});

test('a command that meets an order which has moved meanwhile is carried out, and its caller notices nothing', async () => {
  const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
  for (let round = 0; round < 5; round++) {
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    const extend = (day: number) => corridor.adminDoes('extend', id, { until: `2036-0${day}-01T00:00:00Z` });
    const answers = await Promise.all([extend(1), extend(2), lp.fiatSent(id), extend(3), extend(4)]);
    expect(answers[2]?.status).toBe(200);
    // An extension that comes after a later one extends nothing.
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const confirmed = await Promise.all([extend(5), agent.confirm(id), agent.confirm(id), extend(6)]);
    expect([confirmed[1]?.status, confirmed[2]?.status]).toEqual([200, 200]);
    await eventually(async () => (await agent.statusOf(id)) === 'confirmed');
  }
});

test('of many claims at once one gets the order, and the others a 409', async () => {
  const agent = await corridor.newAgent();
  const lps = await Promise.all(Array.from({ length: 12 }, () => corridor.newLp()));
  for (let round = 0; round < 3; round++) {
    const id = await agent.newOrder();
    const answers = await Promise.all([
      ...lps.map((lp) => lp.claim(id)),
      corridor.adminDoes('extend', id, { until: '2036-01-01T00:00:00Z' }),
    ]);
    const statuses = answers.slice(0, -1).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(11).fill(409)]);
  }
});

import { afterAll, expect, test } from '@jest/globals';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { startHangingReceiver } from '../support/hanging-receiver.ts';

/** The per-agent concurrency limit of a worker, and a larger number of webhooks. */
const [LIMIT, STUCK] = [100, 130];

const corridor = await startCorridor();
const hanging = await startHangingReceiver();
afterAll(async () => {
  hanging.close();
  await corridor.stop();
});

test('an agent whose receiver hangs leaves slots for other agents’ webhooks and for verifications', async () => {
  const [busy, other] = [await corridor.newAgent(), await corridor.newAgent()];
  const lp = await corridor.newLp({ collateral: (STUCK + 2) * 10 });
  const stuck: number[] = [];
  const claimed = async () => {
    const id = await busy.newOrder({ callback_url: hanging.url });
    expect((await lp.claim(id)).status).toBe(200);
    return id;
  };
  // All at the same time would overload a busy machine.
  while (stuck.length < STUCK) stuck.push(...(await Promise.all(Array.from({ length: 10 }, claimed))));
  // Between two attempts a webhook keeps its slot, but no request of it waits.
  await eventually(async () => hanging.mostWaiting() >= 0.9 * LIMIT);

  const id = await other.confirmedOrder(lp, { callback_url: corridor.receiver.url });
  await other.settle(id, await corridor.payment(other, id));
  await eventuallyEquals(() => other.statusOf(id), 'completed');
  await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'completed');
  expect(hanging.mostWaiting()).toBeLessThanOrEqual(LIMIT);

  // The webhooks that waited for a slot are delivered, and waiting has cost no attempt.
  hanging.resume();
  const { db } = corridor;
  await eventuallyEquals(async () => {
    const sql = `select count(*)::int as n from webhook_delivery where state = 'pending'`;
    return (await db.query<{ n: number }>('pending-webhooks', sql, []))[0]?.n;
  }, 0);
  const sql = `
    select count(*)::int as recorded, count(distinct order_id)::int as orders
    from webhook_attempt join webhook_delivery d on d.id = delivery_id where order_id = any($1)`;
  const [made] = await db.query<{ recorded: number; orders: number }>('shares-attempts', sql, [stuck]);
  expect(made?.orders).toBe(STUCK);
  // On a busy machine an inline attempt may have been cut off, which does not count.
  expect(made?.recorded).toBeLessThanOrEqual(hanging.receivedCount());
});

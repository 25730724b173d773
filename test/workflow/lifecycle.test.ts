import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { connectToTemporal } from '../support/temporal-client.ts';

const row = async (corridor: TestCorridor, id: number) => {
  const sql = `select status, status_reason, lp_id, reoffers, rejections, timeout_at, collateral_locked::float,
    (select count(*)::int from lp_strike s where s.lp_id = excluded_lp_ids[1]) as strikes from orders where id = $1`;
  return (await corridor.db.query<Record<string, unknown>>('row', sql, [id]))[0];
};
async function historyOf(corridor: TestCorridor, id: number) {
  const client = await connectToTemporal(corridor);
  const { events } = await client.workflow.getHandle(orderWorkflowId(id)).fetchHistory();
  await client.connection.close();
  return events ?? [];
}

describe('the verification', () => {
  let corridor: TestCorridor;
  let agent: Agent;
  beforeAll(async () => {
    corridor = await startCorridor();
    agent = await corridor.newAgent();
  });
  afterAll(() => corridor.stop());

  test('waits for a transaction that is not final yet', async () => {
    const lp = await corridor.newLp();
    const id = await agent.confirmedOrder(lp);
    await agent.settle(id, await corridor.payment(agent, id, { final_after_ms: 2_000 }));
    expect(await agent.statusOf(id)).toBe('crypto_verify_pending');
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
  });

  test('of a final transaction on a fast chain needs no activity of its own: the settle step completes the order', async () => {
    const lp = await corridor.newLp({ collateral: 10_000 });
    // A chain counts as fast after its first answer.
    await eventually(async () => {
      const id = await agent.confirmedOrder(lp);
      await agent.settle(id, await corridor.payment(agent, id));
      await eventuallyEquals(() => agent.statusOf(id), 'completed');
      const events = await historyOf(corridor, id);
      const activities = events.filter(({ activityTaskScheduledEventAttributes: any }) => any).length;
      const steps = events.filter(({ markerRecordedEventAttributes: any }) => any).length;
      return activities === 0 && steps === 4;
    });
  });

  test('continues after a restart of the worker', async () => {
    const lp = await corridor.newLp();
    const id = await agent.confirmedOrder(lp);
    await agent.settle(id, await corridor.payment(agent, id, { final_after_ms: 500 }));
    await corridor.stopWorker();
    await corridor.startWorker();
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
  });

  test.each([
    ['too little', { amount: 10.04 }, /pays 10.04 usdt, not exactly 10.05\d*: 0.01\d* less/],
    ['too much', { amount: 10.06 }, /pays 10.06 usdt, not exactly 10.05\d*: 0.0\d+ more/],
    ['another token', { symbol: 'usdc' }, /pays usdc, not usdt/],
    ['another address', { to: 'TSomebodyElse' }, /another address/],
  ])(
    'of a transaction that pays %s returns the order to confirmed, with the reason',
    async (_what, changes, reason) => {
      const lp = await corridor.newLp();
      const id = await agent.confirmedOrder(lp);
      const wrong = await corridor.payment(agent, id, changes);
      await agent.settle(id, wrong);
      await eventuallyEquals(() => agent.statusOf(id), 'confirmed');
      expect(await row(corridor, id)).toMatchObject({
        rejections: 1,
        status_reason: expect.stringMatching(reason),
      });
      // A late retry does not count as another rejection.
      expect(await agent.settle(id, `0x${wrong.toUpperCase()}`)).toMatchObject({
        status: 409,
        body: { error: 'Verification has already rejected this transaction' },
      });
      const right = await corridor.payment(agent, id);
      expect((await agent.settle(id, right)).status).toBe(200);
      await eventuallyEquals(() => agent.statusOf(id), 'completed');
    },
  );

  test('of a third invalid transaction opens a dispute, and the collateral stays locked', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const id = await agent.confirmedOrder(lp);
    for (const [i, after] of ['confirmed', 'confirmed', 'disputed'].entries()) {
      await agent.settle(id, await corridor.transaction(lp.address, 1 + i));
      await eventuallyEquals(() => agent.statusOf(id), after);
    }
    expect(await corridor.collateralOf(lp)).toEqual({ available: 90, locked: 10 });
  });

  test('frees the hash of an invalid transaction for the order that it pays', async () => {
    const [lp, other] = [await corridor.newLp(), await corridor.newLp()];
    const [mine, theirs] = [await agent.confirmedOrder(lp), await agent.confirmedOrder(other)];
    const forTheirs = await corridor.payment(agent, theirs);
    await agent.settle(mine, forTheirs);
    await eventuallyEquals(() => agent.statusOf(mine), 'confirmed');
    expect((await agent.settle(theirs, forTheirs)).status).toBe(200);
    await eventuallyEquals(() => agent.statusOf(theirs), 'completed');
  });
});

describe('a deadline', () => {
  let corridor: TestCorridor;
  let agent: Agent;
  beforeAll(async () => {
    corridor = await startCorridor();
    agent = await corridor.newAgent();
  });
  afterAll(() => corridor.stop());

  test('for claiming cancels the order', async () => {
    const lp = await corridor.newLp();
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    await passDeadline(corridor, id);
    await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'cancelled');
    expect(await row(corridor, id)).toMatchObject({
      status: 'cancelled',
      status_reason: 'No LP claimed the order in time',
      timeout_at: null,
    });
    expect(await lp.claim(id)).toMatchObject({ status: 409, body: { error: 'Order not claimable' } });
    expect((await lp.fiatSent(id)).status).toBe(403);
    expect((await lp.fiatSent(999_999)).status).toBe(404);
  });

  test('for the fiat reoffers the order, and the third time cancels it', async () => {
    const naira = { currency: 'NGN', rate: 1_500, collateral: 100 };
    const lps = await Promise.all([1, 2, 3].map(() => corridor.newLp(naira)));
    const id = await agent.newOrder({ currency: 'NGN', amount: 15_000 });
    for (const [i, lp] of lps.entries()) {
      await expectStatus(200, lp.claim(id));
      await passDeadline(corridor, id);
      await eventuallyEquals(async () => (await row(corridor, id))?.reoffers, i + 1);
      expect(await corridor.collateralOf(lp)).toEqual({ available: 100, locked: 0 });
      // An LP with a failed claim is not offered the order again.
      expect((await lp.claim(id)).status).toBe(409);
    }
    expect(await row(corridor, id)).toMatchObject({
      status: 'cancelled',
      lp_id: null,
      collateral_locked: null,
      strikes: 1,
      status_reason: 'The LP did not send the fiat in time',
    });
  });

  test.each([
    ['confirming', 'fiat_sent', 'The agent did not confirm the fiat in time'],
    ['settling', 'confirmed', 'The agent did not settle in time'],
    [
      'verifying',
      'crypto_verify_pending',
      'The transaction was not final on its chain in time: No such transaction yet',
    ],
  ])('for %s opens a dispute, and the collateral stays locked', async (_what, status, reason) => {
    const lp = await corridor.newLp({ collateral: 100 });
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, lp.fiatSent(id));
    if (status !== 'fiat_sent') await expectStatus(200, agent.confirm(id));
    if (status === 'crypto_verify_pending') await expectStatus(200, agent.settle(id, 'ab'.repeat(32)));
    await passDeadline(corridor, id);
    await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'disputed');
    expect(await agent.statusOf(id)).toBe('disputed');
    expect((await lp.fiatSent(id)).status).toBe(409);
    expect(await row(corridor, id)).toMatchObject({ status_reason: reason, timeout_at: null });
    expect(await corridor.collateralOf(lp)).toEqual({ available: 90, locked: 10 });
  });

  test('survives a restart of the worker', async () => {
    await corridor.newLp();
    const id = await agent.newOrder();
    await corridor.stopWorker();
    await passDeadline(corridor, id);
    expect(await agent.statusOf(id)).toBe('matched');
    await corridor.startWorker();
    await eventuallyEquals(() => agent.statusOf(id), 'cancelled');
  });
});

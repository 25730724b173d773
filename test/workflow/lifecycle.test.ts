import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type proto from '@temporalio/proto';
import { expectStatus } from '../../dev/http-client.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import {
  type Agent,
  claim,
  collateralOf,
  confirm,
  confirmedOrder,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  payment,
  settle,
  statusOf,
  transaction,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
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
/** Counts the timer events in the history of an order's workflow. */
async function countTimers(corridor: TestCorridor, id: number) {
  const events = await historyOf(corridor, id);
  const count = (key: keyof proto.temporal.api.history.v1.IHistoryEvent) =>
    events.filter((event) => event[key]).length;
  return {
    started: count('timerStartedEventAttributes'),
    elapsed: count('timerFiredEventAttributes'),
    canceled: count('timerCanceledEventAttributes'),
  };
}

describe('the verification', () => {
  let corridor: TestCorridor;
  let agent: Agent;
  beforeAll(async () => {
    corridor = await startCorridor();
    agent = await newAgent(corridor);
  });
  afterAll(() => corridor.stop());

  test('waits for a transaction that is not final yet', async () => {
    const lp = await newLp(corridor);
    const id = await confirmedOrder(agent, lp);
    await settle(agent, id, await payment(corridor, agent, id, { final_after_ms: 5_000 }));
    expect(await statusOf(agent, id)).toBe('crypto_verify_pending');
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  });

  test('of a final transaction on a fast chain needs no activity of its own: the settle step completes the order', async () => {
    const lp = await newLp(corridor, { collateral: 10_000 });
    // A chain counts as fast after its first answer.
    await eventually(async () => {
      const id = await confirmedOrder(agent, lp);
      await settle(agent, id, await payment(corridor, agent, id));
      await eventuallyEquals(() => statusOf(agent, id), 'completed');
      const events = await historyOf(corridor, id);
      const activities = events.filter(({ activityTaskScheduledEventAttributes: any }) => any).length;
      const steps = events.filter(({ markerRecordedEventAttributes: any }) => any).length;
      return activities === 0 && steps === 4;
    });
  });

  test('continues after a restart of the worker', async () => {
    const lp = await newLp(corridor);
    const id = await confirmedOrder(agent, lp);
    await settle(agent, id, await payment(corridor, agent, id, { final_after_ms: 500 }));
    await corridor.stopWorker();
    await corridor.startWorker();
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  });

  test.each([
    ['too little', { amount: 10.04 }, /pays 10.04 usdt, not exactly 10.05\d*: 0.01\d* less/],
    ['too much', { amount: 10.06 }, /pays 10.06 usdt, not exactly 10.05\d*: 0.0\d+ more/],
    ['another token', { symbol: 'usdc' }, /pays usdc, not usdt/],
    ['another address', { to: 'TSomebodyElse' }, /another address/],
  ])(
    'of a transaction that pays %s returns the order to confirmed, with the reason',
    async (_what, changes, reason) => {
      const lp = await newLp(corridor);
      const id = await confirmedOrder(agent, lp);
      const wrong = await payment(corridor, agent, id, changes);
      await settle(agent, id, wrong);
      await eventuallyEquals(() => statusOf(agent, id), 'confirmed');
      expect(await row(corridor, id)).toMatchObject({
        rejections: 1,
        status_reason: expect.stringMatching(reason),
      });
      // A late retry does not count as another rejection.
      expect(await settle(agent, id, `0x${wrong.toUpperCase()}`)).toMatchObject({
        status: 409,
        body: { error: 'Verification has already rejected this transaction' },
      });
      const right = await payment(corridor, agent, id);
      expect((await settle(agent, id, right)).status).toBe(200);
      await eventuallyEquals(() => statusOf(agent, id), 'completed');
    },
  );

  test('of a third invalid transaction opens a dispute, and the collateral stays locked', async () => {
    const lp = await newLp(corridor, { collateral: 100 });
    const id = await confirmedOrder(agent, lp);
    for (const [i, after] of ['confirmed', 'confirmed', 'disputed'].entries()) {
      await settle(agent, id, await transaction(corridor.anyone, lp.address, 1 + i));
      await eventuallyEquals(() => statusOf(agent, id), after);
    }
    expect(await collateralOf(corridor, lp)).toEqual({ available: 90, locked: 10 });
  });

  test('frees the hash of an invalid transaction for the order that it pays', async () => {
    const [lp, other] = [await newLp(corridor), await newLp(corridor)];
    const [mine, theirs] = [await confirmedOrder(agent, lp), await confirmedOrder(agent, other)];
    const forTheirs = await payment(corridor, agent, theirs);
    await settle(agent, mine, forTheirs);
    await eventuallyEquals(() => statusOf(agent, mine), 'confirmed');
    expect((await settle(agent, theirs, forTheirs)).status).toBe(200);
    await eventuallyEquals(() => statusOf(agent, theirs), 'completed');
  });
});

describe('a deadline', () => {
  const withTimeouts = async (
    env: Record<string, string>,
    story: (corridor: TestCorridor, agent: Agent) => Promise<void>,
  ) => {
    const corridor = await startCorridor({ env });
    try {
      await story(corridor, await newAgent(corridor));
    } finally {
      await corridor.stop();
    }
  };

  test('for claiming cancels the order', () =>
    withTimeouts({ CLAIM_TIMEOUT: '300ms' }, async (corridor, agent) => {
      const lp = await newLp(corridor);
      const id = await newOrder(agent, { callback_url: corridor.receiver.url });
      await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'cancelled');
      expect(await row(corridor, id)).toMatchObject({
        status: 'cancelled',
        status_reason: 'No LP claimed the order in time',
        timeout_at: null,
      });
      expect(await claim(lp, id)).toMatchObject({ status: 409, body: { error: 'Order not claimable' } });
      expect((await fiatSent(lp, id)).status).toBe(403);
      expect((await fiatSent(lp, 999_999)).status).toBe(404);
    }));

  test('that replaces another keeps its timer, or gets a new one if it is sooner', () =>
    withTimeouts(
      { ORDER_START: 'awake', CLAIM_TIMEOUT: '8s', FIAT_TIMEOUT: '12s', CONFIRM_TIMEOUT: '300ms' },
      async (corridor, agent) => {
        const [lp, other] = [await newLp(corridor), await newLp(corridor)];
        const [late, sent] = [await newOrder(agent), await newOrder(agent)];
        for (const id of [late, sent]) await expectStatus(200, claim(lp, id));
        await expectStatus(200, fiatSent(lp, sent));
        await eventuallyEquals(() => statusOf(agent, sent), 'disputed');
        // The timer for the claim fires four seconds before the fiat deadline.
        await eventuallyEquals(async () => (await row(corridor, late))?.reoffers, 1);
        await expectStatus(200, claim(other, late));
        const timers = (id: number) => countTimers(corridor, id);
        expect(await timers(sent)).toEqual({ started: 2, elapsed: 1, canceled: 1 });
        // The timer is set for the claim, then for the fiat. The reoffered order has to be claimed within 8 s.
        expect(await timers(late)).toMatchObject({ elapsed: 2, canceled: 0 });
      },
    ));

  test('for the fiat reoffers the order, and the third time cancels it', () =>
    withTimeouts({ FIAT_TIMEOUT: '300ms' }, async (corridor, agent) => {
      const lps = await Promise.all([1, 2, 3].map(() => newLp(corridor, { collateral: 100 })));
      const id = await newOrder(agent);
      for (const [i, lp] of lps.entries()) {
        // If its answer was a 503, the claim may have failed before it was repeated.
        expect([200, 409]).toContain((await claim(lp, id)).status);
        await eventuallyEquals(async () => (await row(corridor, id))?.reoffers, i + 1);
        expect(await collateralOf(corridor, lp)).toEqual({ available: 100, locked: 0 });
        // An LP with a failed claim is not offered the order again.
        expect((await claim(lp, id)).status).toBe(409);
      }
      expect(await row(corridor, id)).toMatchObject({
        status: 'cancelled',
        lp_id: null,
        collateral_locked: null,
        strikes: 1,
        status_reason: 'The LP did not send the fiat in time',
      });
    }));

  test.each([
    ['confirming', { CONFIRM_TIMEOUT: '300ms' }, 'The agent did not confirm the fiat in time'],
    ['settling', { SETTLE_TIMEOUT: '300ms' }, 'The agent did not settle in time'],
    [
      'verifying',
      { VERIFY_TIMEOUT: '300ms' },
      'The transaction was not final on its chain in time: No such transaction yet',
    ],
  ])('for %s opens a dispute, and the collateral stays locked', (_what, env, reason) =>
    withTimeouts(env, async (corridor, agent) => {
      const lp = await newLp(corridor, { collateral: 100 });
      const id = await newOrder(agent, { callback_url: corridor.receiver.url });
      await claim(lp, id);
      await fiatSent(lp, id);
      if (!('CONFIRM_TIMEOUT' in env)) await confirm(agent, id);
      if ('VERIFY_TIMEOUT' in env) await settle(agent, id, 'ab'.repeat(32));
      await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'disputed');
      expect(await statusOf(agent, id)).toBe('disputed');
      expect((await fiatSent(lp, id)).status).toBe(409);
      expect(await row(corridor, id)).toMatchObject({ status_reason: reason, timeout_at: null });
      expect(await collateralOf(corridor, lp)).toEqual({ available: 90, locked: 10 });
    }),
  );

  test('survives a restart of the worker', () =>
    withTimeouts({ CLAIM_TIMEOUT: '5s' }, async (corridor, agent) => {
      await newLp(corridor);
      const id = await newOrder(agent);
      await corridor.stopWorker();
      await eventually(async () => Date.parse(String((await row(corridor, id))?.timeout_at)) < Date.now());
      expect(await statusOf(agent, id)).toBe('matched');
      await corridor.startWorker();
      await eventuallyEquals(() => statusOf(agent, id), 'cancelled');
    }));
});

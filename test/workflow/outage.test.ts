import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { timePasses } from '../support/time-passes.ts';
import { unanswered } from '../support/unanswered.ts';

const THRESHOLD_S = 5;
const withCorridor = async (
  env: Record<string, string>,
  story: (corridor: TestCorridor) => Promise<void>,
) => {
  const corridor = await startCorridor({ env: { OUTAGE_THRESHOLD: `${THRESHOLD_S}s`, ...env } });
  try {
    await story(corridor);
  } finally {
    await corridor.stop();
  }
};
const holds = (corridor: TestCorridor, condition: string) =>
  eventually(async () => {
    const { rows } = await corridor.db.pool.query<{ so: boolean }>(`select ${condition} as so`);
    return rows[0]?.so;
  });
/** Waits until the last service heartbeat is older than the tolerance. */
const untilAway = (corridor: TestCorridor) =>
  holds(corridor, 'exists (select from service_heartbeat where good_until < now())');

/** The number of times that the order's timer has fired. */
async function elapsedTimers({ config }: TestCorridor, id: number): Promise<number> {
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  try {
    const { workflow } = new Client({ connection, namespace: config.temporalNamespace });
    const { events } = await workflow.getHandle(`order-${id}`).fetchHistory();
    return (events ?? []).filter((event) => event.timerFiredEventAttributes).length;
  } finally {
    await connection.close();
  }
}

test('an outage moves every deadline by its length, gives no LP a strike, and cancels nothing', () =>
  withCorridor({}, async (corridor) => {
    const [agent, lp] = [await corridor.newAgent(), await corridor.newLp({ collateral: 100 })];
    await holds(corridor, 'exists (select from service_heartbeat)');
    const [claimed, open, disputed] = [
      await agent.newOrder(),
      await agent.newOrder(),
      await agent.newOrder(),
    ];
    await expectStatus(200, lp.claim(claimed));
    await expectStatus(200, lp.claim(disputed));
    await expectStatus(200, agent.dispute(disputed));
    await corridor.stopWorker();
    // An hour passes, after which both deadlines would have expired.
    await timePasses(corridor.db.pool, '1 hour');
    const before = await corridor.rowOf(claimed);
    expect(Date.parse(before.timeout_at)).toBeLessThan(Date.now());
    await corridor.startWorker();

    await eventuallyEquals(async () => (await corridor.lastTransition(claimed)).cause, 'outage');
    const after = await corridor.rowOf(claimed);
    expect(after).toMatchObject({ status: 'claimed', lp_id: lp.id });
    expect(Date.parse(after.timeout_at)).toBeGreaterThan(Date.parse(before.timeout_at) + 3_590_000);
    expect(await corridor.lastTransition(claimed)).toMatchObject({
      from_status: 'claimed',
      status: 'claimed',
      actor: 'service',
      reason: expect.stringMatching(
        /^The service was unavailable after .+ UTC; the deadline moved by as long$/,
      ),
    });
    expect(await corridor.collateralOf(lp)).toEqual({ available: 80, locked: 20 });
    await eventuallyEquals(async () => (await unanswered(corridor, () => lp.fiatSent(claimed))).status, 200);
    expect(await agent.statusOf(open)).toBe('matched');
    expect((await corridor.lastTransition(open)).cause).toBe('outage');
    expect((await corridor.lastTransition(disputed)).cause).toBe('dispute');
    const dashboard = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
    expect(dashboard.lp.strikes).toBe(0);
    // The moved deadline still expires. The workflow knows it, or tries the old one and gets the row's state.
    await corridor.db.pool.query(
      `update orders set timeout_at = now(), version = version + 1 where id = $1`,
      [open],
    );
    await corridor.db.pool.query(
      `insert into order_event (order_id, seq, from_status, status, actor, cause, snapshot)
       select order_id, seq + 1, status, status, 'service', 'outage', snapshot from order_event
       where order_id = $1 order by seq desc limit 1`,
      [open],
    );
    await eventuallyEquals(() => agent.statusOf(open), 'cancelled');
    expect((await corridor.lastTransition(open)).cause).toBe('deadline');
  }));

test('while no API is reachable, no deadline passes', () =>
  withCorridor({}, async (corridor) => {
    await corridor.newLp();
    const agent = await corridor.newAgent();
    await holds(corridor, 'exists (select from service_heartbeat)');
    const id = await agent.newOrder();
    // The API was killed: it sends no more process heartbeats, and did not remove itself from the list.
    await corridor.stopApi();
    await untilAway(corridor);
    await passDeadline(corridor, id);
    const state = async () =>
      (
        await corridor.db.query<{ status: string }>(
          'test-status',
          'select status from orders where id = $1',
          [id],
        )
      )[0]?.status;
    // The workflow tried its deadline, got `clock_stopped`, and waits.
    await eventually(async () => (await elapsedTimers(corridor, id)) > 1);
    expect(await state()).toBe('matched');
    await corridor.startApi();
    await eventuallyEquals(async () => (await corridor.lastTransition(id)).cause, 'outage');
    expect(await state()).toBe('matched');
    await eventuallyEquals(state, 'cancelled');
  }));

test('a short outage moves no deadline', () =>
  withCorridor({ OUTAGE_THRESHOLD: '10m' }, async (corridor) => {
    await corridor.newLp();
    const agent = await corridor.newAgent();
    await holds(corridor, 'exists (select from service_heartbeat)');
    const id = await agent.newOrder();
    await corridor.stopWorker();
    await passDeadline(corridor, id);
    await corridor.startWorker();
    await eventuallyEquals(() => agent.statusOf(id), 'cancelled');
    expect((await corridor.lastTransition(id)).seq).toBe(2);
  }));

import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { LedgerReport } from '../../src/api/resources/ledger/schemas.ts';
import type { Overview, Throughput } from '../../src/api/resources/overview/schemas.ts';
import { editEvents } from '../support/edit-events.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** An admin's first pages: the orders by status, their throughput, and the ledger check. */
const corridor = await useCorridor({ env: { LP_AUTO_APPROVE: 'false' }, answerWebhook: () => 500 });
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/approve`));

const overview = (): Promise<Overview> => expectStatus(200, corridor.admin('GET', '/api/admin/overview'));
const throughput = (query = ''): Promise<Throughput> =>
  expectStatus(200, corridor.admin('GET', `/api/admin/throughput${query}`));
const ledger = (): Promise<LedgerReport> => expectStatus(200, corridor.admin('GET', '/api/admin/ledger'));
const standing = ({ orders }: Overview) =>
  Object.fromEntries(orders.filter(({ count }) => count > 0).map(({ status, count }) => [status, count]));
/** Adds up all buckets. */
const entered = ({ buckets }: Throughput) => {
  const sums: Record<string, number> = {};
  for (const { entered } of buckets)
    for (const [status, count] of Object.entries(entered)) sums[status] = (sums[status] ?? 0) + count;
  return sums;
};
const nothing = {
  ...{ matched: 0, claimed: 0, fiat_sent: 0, confirmed: 0, crypto_verify_pending: 0 },
  ...{ completed: 0, cancelled: 0, disputed: 0 },
};

test('the overview of a Corridor without orders shows only that it is running', async () => {
  const seen = await eventually(async () => {
    const look = await overview();
    return look.processes.worker === 1 && look;
  });
  expect(seen.processes).toEqual({ api: 1, worker: 1 });
  expect(seen.orders.map(({ status }) => status)).toEqual(Object.keys(nothing));
  expect(standing(seen)).toEqual({});
  expect(seen).toMatchObject({
    webhooks: { pending: 0, oldest_pending_at: null, exhausted: 0 },
    waiting_for_admin: {
      disputes: 0,
      frozen_orders: 0,
      pending_lps: 0,
      requested_withdrawals: 0,
      proposals: 0,
      revoked_agent_orders: 0,
    },
  });
  const { bucket_seconds, buckets } = await throughput();
  expect([bucket_seconds, buckets.length]).toEqual([60, 180]);
  expect(entered({ bucket_seconds, buckets })).toEqual(nothing);
});

describe('after some orders', () => {
  let disputed: number;
  beforeAll(async () => {
    const completed = await agent.confirmedOrder(lp);
    await agent.settle(completed, await corridor.payment(agent, completed));
    await eventuallyEquals(() => agent.statusOf(completed), 'completed');
    disputed = await agent.newOrder();
    await expectStatus(200, lp.claim(disputed));
    await expectStatus(200, agent.dispute(disputed));
    await expectStatus(200, agent.cancel(await agent.newOrder({ callback_url: corridor.receiver.url })));
    await expectStatus(200, corridor.adminDoes('freeze', await agent.newOrder()));
    await corridor.newLp({ collateral: 0 });
    const body = { amount: 5, address: 'TMine' };
    await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, body));
  });

  test('the overview counts them, and the items that wait for an admin', async () => {
    const seen = await eventually(async () => {
      const look = await overview();
      return look.webhooks.exhausted === 1 && look;
    });
    expect(standing(seen)).toEqual({ matched: 1, completed: 1, cancelled: 1, disputed: 1 });
    expect(seen.waiting_for_admin).toEqual({
      disputes: 1,
      frozen_orders: 1,
      pending_lps: 1,
      requested_withdrawals: 1,
      proposals: 0,
      revoked_agent_orders: 0,
    });
    expect(seen.webhooks).toEqual({ pending: 0, oldest_pending_at: null, exhausted: 1 });
    const since = Object.fromEntries(seen.orders.map(({ status, oldest_at }) => [status, oldest_at]));
    const { transitions } = await expectStatus(
      200,
      corridor.admin('GET', `/api/admin/orders/${disputed}/timeline`),
    );
    expect(since.disputed).toBe(transitions.at(-1).at);
    expect([since.completed, since.cancelled, since.claimed]).toEqual([null, null, null]);
  });

  test('the throughput counts each of their steps once, and adds up the completed value', async () => {
    const seen = await throughput('?hours=1');
    expect(seen.buckets).toHaveLength(60);
    expect(entered(seen)).toEqual({
      ...{ matched: 4, claimed: 2, fiat_sent: 1, confirmed: 1, crypto_verify_pending: 1 },
      ...{ completed: 1, cancelled: 1, disputed: 1 },
    });
    expect(seen.buckets.reduce((sum, { completed_usd }) => sum + completed_usd, 0)).toBe(10);
    const times = seen.buckets.map(({ at }) => Date.parse(at));
    expect(new Set(times.slice(1).map((at, i) => at - (times[i] ?? 0)))).toEqual(new Set([60_000]));
  });

  test('the throughput ignores an event that changes no status, such as a freeze', async () => {
    const before = entered(await throughput());
    await expectStatus(
      200,
      corridor.admin('POST', `/api/admin/orders/${disputed + 2}/freeze`, { reason: 'To be looked at' }),
    );
    expect(entered(await throughput())).toEqual(before);
  });

  test('the throughput uses longer buckets for more hours, and leaves out older events', async () => {
    await editEvents(
      corridor.db.pool,
      `update order_event set created_at = created_at - interval '2 hours' where order_id = $1`,
      [disputed],
    );
    expect(entered(await throughput('?hours=1')).disputed).toBe(0);
    expect(entered(await throughput()).disputed).toBe(1);
    const day = await throughput('?hours=24');
    expect([day.bucket_seconds, day.buckets.length]).toEqual([480, 180]);
    expect(entered(day).disputed).toBe(1);
    for (const hours of ['0', '25', 'x', '1.5'])
      expect((await corridor.admin('GET', `/api/admin/throughput?hours=${hours}`)).status).toBe(400);
  });

  test('the ledger check passes on sound books, and names the account that drifts', async () => {
    const sound = await ledger();
    expect(sound.ok).toBe(true);
    expect(sound.checks.length).toBeGreaterThan(5);
    expect(
      sound.checks.every(({ checked, drifts, first }) => checked >= 0 && drifts === 0 && !first.length),
    ).toBe(true);
    await corridor.db.pool.query('update lp_collateral set available = available + 1 where lp_id = $1', [
      lp.id,
    ]);
    // The API caches the report for some time.
    const unsound = await eventually(async () => {
      const report = await ledger();
      return !report.ok && report;
    });
    expect(unsound.checks.flatMap(({ first }) => first.map(({ where }) => where))).toContain(
      `account lp:${lp.id}:available`,
    );
    await corridor.db.pool.query('update lp_collateral set available = available - 1 where lp_id = $1', [
      lp.id,
    ]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();

/** From the claim to the settlement. */
async function complete(lp: TestLp, orderId: number): Promise<void> {
  await expectStatus(200, lp.claim(orderId));
  await expectStatus(200, lp.fiatSent(orderId));
  await expectStatus(200, agent.confirm(orderId));
  await expectStatus(200, agent.settle(orderId, await corridor.payment(agent, orderId)));
  await eventuallyEquals(() => agent.statusOf(orderId), 'completed');
}
const read = (lp: TestLp, path: string) => lp.call('GET', `/api/lp/${lp.key}${path}`);

describe('an LP’s history', () => {
  test('counts its completed orders by day, with fees, and earnings at its rates of the claims', async () => {
    const lp = await corridor.newLp({ rate: 129.5 });
    await corridor.completedOrder(agent, lp);
    // Its own rate is better than the quoted one, so it earns the difference.
    const [second, third] = [await agent.newOrder(), await agent.newOrder()];
    await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'KES', rate_usd: 140 });
    await complete(lp, second);
    const expire = `update lp_term set valid_until = date_trunc('milliseconds', now()) where lp_id = $1`;
    await corridor.db.query('expire', expire, [lp.id]);
    await complete(lp, third);
    const own = (await read(lp, '/dashboard')).body.my_orders;
    expect(own.map((order: { est_profit_usd: number | null }) => order.est_profit_usd)).toEqual([
      null,
      0.75,
      0,
    ]);

    const { status, body } = await read(lp, '/history?days=2');
    expect(status).toBe(200);
    expect(body.days).toHaveLength(2);
    // If midnight passes in between, the orders are spread over both days.
    const sum = (name: string) =>
      body.days.reduce((total: number, day: Record<string, number>) => total + (day[name] ?? 0), 0);
    expect(sum('completed')).toBe(3);
    expect(sum('profit_unknown')).toBe(1);
    expect(sum('volume_usd')).toBeCloseTo(30, 6);
    expect(sum('fees_usd')).toBeCloseTo(0.15, 6);
    expect(sum('earned_usd')).toBeCloseTo(0.75, 6);
    // Another rate afterwards changes nothing.
    await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'KES', rate_usd: 120 });
    expect((await read(lp, '/history?days=2')).body).toEqual(body);
    const times = body.days.flatMap(
      (day: { median_fiat_seconds: number | null }) => day.median_fiat_seconds ?? [],
    );
    expect(times.length).toBeGreaterThan(0);
  });

  test('lists all days, even for an LP without orders', async () => {
    const { body } = await read(await corridor.newLp(), '/history');
    expect(body.days).toHaveLength(30);
    expect(body.days.every(({ completed }: { completed: number }) => completed === 0)).toBe(true);
  });

  test.each(['0', '91', 'many', '1.5'])('refuses %s days', async (days) => {
    expect((await read(await corridor.newLp(), `/history?days=${days}`)).status).toBe(400);
  });
});

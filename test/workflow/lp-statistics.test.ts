import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ env: { RELEASE_GRACE: '1ms' } });
const agent = await corridor.newAgent();

test('an LP’s record shows the outcomes of its orders, to the public, the LP and admins', async () => {
  const lp = await corridor.newLp();
  const done = await agent.confirmedOrder(lp);
  await agent.settle(done, await corridor.payment(agent, done));
  await eventuallyEquals(() => agent.statusOf(done), 'completed');
  const lost = await agent.newOrder();
  await expectStatus(200, lp.claim(lost));
  await expectStatus(200, lp.release(lost));

  const listed = async () => (await expectStatus(200, corridor.anyone('GET', '/api/lps'))).lps[0];
  await eventually(async () => (await listed()).completion_rate === 0.5);
  const record = {
    orders_completed: 1,
    completion_rate: 0.5,
    median_fiat_seconds: expect.any(Number),
    strikes: 1,
  };
  expect(await listed()).toMatchObject({ id: lp.id, ...record });
  expect(await listed()).not.toHaveProperty('cooling_down_until');
  const own = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
  expect(own.lp).toMatchObject(record);
  const { lps } = await expectStatus(200, corridor.admin('GET', '/api/admin/lps'));
  expect(lps).toMatchObject([{ id: lp.id, ...record }]);
});

test('an order that was quoted from an LP and expires unclaimed counts against it', async () => {
  const currency = 'UGX';
  const lp = await corridor.newLp({ currency, rate: 3_700 });
  const id = await agent.newOrder({ currency, amount: 37_000 });
  await expectStatus(200, agent.expireNow(id));
  await eventuallyEquals(() => agent.statusOf(id), 'cancelled');
  const unclaimed = async () =>
    (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).lp.unclaimed_quotes;
  await eventuallyEquals(unclaimed, 1);
});

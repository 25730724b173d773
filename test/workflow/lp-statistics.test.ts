import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../demo/http.ts';
import {
  type Agent,
  claim,
  confirmedOrder,
  newAgent,
  newLp,
  newOrder,
  release,
  settle,
  statusOf,
  transaction,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';

let corridor: TestCorridor;
let agent: Agent;
beforeAll(async () => {
  corridor = await startCorridor({ env: { RELEASE_GRACE: '1ms' } });
  agent = await newAgent(corridor);
});
afterAll(() => corridor.stop());

test('an LP’s record shows what became of its orders, to everybody, to itself and to admins', async () => {
  const lp = await newLp(corridor);
  const done = await confirmedOrder(agent, lp);
  await settle(agent, done, await transaction(corridor.anyone, lp.address, 10.05));
  await eventuallyEquals(() => statusOf(agent, done), 'completed');
  const lost = await newOrder(agent);
  await expectStatus(200, claim(lp, lost));
  await expectStatus(200, release(lp, lost));

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

import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { dispute } from '../support/actors.ts';
import { startCorridor } from '../support/corridor.ts';
import { editEvents } from '../support/edit-events.ts';
import { eventually } from '../support/eventually.ts';
import type { Agent, TestLp } from '../support/parties.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** A dispute locks the LP's collateral until an admin decides. Agents misuse it against their LPs. */
const corridor = await startCorridor({ env: { DISPUTE_AFTER: '10m', DISPUTE_SLA: '24h' } });
const agent = await corridor.newUnlimitedAgent();
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

async function claimed(by: Agent, lp: TestLp): Promise<number> {
  const id = await by.newOrder();
  await expectStatus(200, lp.claim(id));
  return id;
}
/** Moves an order's history this many minutes into the past. */
const age = (id: number, minutes: number) =>
  editEvents(
    corridor.db.pool,
    `update order_event set created_at = created_at - $2 * interval '1 minute' where order_id = $1`,
    [id, minutes],
  );
const expire = (lp: TestLp, id: number) => expectStatus(200, lp.expireNow(id));
const code = async (answer: ReturnType<typeof dispute>) => {
  const { status, headers } = await answer;
  return [status, headers.get('x-error-code')];
};

test('an agent that disputes right after each claim locks nothing, however often it tries', async () => {
  const lp = await corridor.newLp({ collateral: 100 });
  const ids = await Promise.all(Array.from({ length: 5 }, () => claimed(agent, lp)));
  const tries = ids.flatMap((id) => Array.from({ length: 4 }, () => code(agent.dispute(id))));
  expect(await Promise.all(tries)).toEqual(Array(20).fill([409, 'dispute_too_early']));
  for (const id of ids) {
    expect(await corridor.rowOf(id)).toMatchObject({ status: 'claimed', version: 2 });
    await expire(lp, id);
  }
  expect(await corridor.collateralOf(lp)).toMatchObject({ available: 100, locked: 0 });
});

test('an agent may dispute ten minutes after the claim, and immediately if the LP reports the fiat as sent', async () => {
  const lp = await corridor.newLp();
  const [silent, sent] = [await claimed(agent, lp), await claimed(agent, lp)];
  await age(silent, 9);
  expect(await code(agent.dispute(silent))).toEqual([409, 'dispute_too_early']);
  await age(silent, 1);
  await expectStatus(200, agent.dispute(silent));
  await expectStatus(200, lp.fiatSent(sent));
  await expectStatus(200, agent.dispute(sent));

  // Without a decision, the first dispute raises an alert after a day. The second one does not: it is about fiat that was sent.
  const overdue = async () => {
    const { body } = await corridor.admin('GET', '/metrics');
    return Number(/^corridor_dispute_overdue_seconds (.+)$/m.exec(body)?.[1]);
  };
  await age(sent, 48 * 60);
  await age(silent, 23 * 60);
  expect(await overdue()).toBe(0);
  await age(silent, 61);
  await eventually(async () => (await overdue()) > 0);
  for (const id of [silent, sent])
    await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'cancelled' }));
  await eventually(async () => (await overdue()) === 0);
});

test('each claim starts the ten minutes again', async () => {
  const first = await corridor.newLp();
  const id = await claimed(agent, first);
  await age(id, 60);
  await expire(first, id);
  await eventually(async () => (await agent.statusOf(id)) === 'matched');
  await expectStatus(200, (await corridor.newLp()).claim(id));
  expect(await code(agent.dispute(id))).toEqual([409, 'dispute_too_early']);
});

test('an agent’s open disputes use up its limit, so that it cannot lock more than that', async () => {
  const limited = await corridor.newAgent();
  const limit = { max_exposure_usd: 25 };
  await expectStatus(200, corridor.admin('POST', `/api/admin/agent-keys/${limited.keyId}`, limit));
  const lp = await corridor.newLp();
  const ids = [await claimed(limited, lp), await claimed(limited, lp)];
  for (const id of ids) {
    await age(id, 10);
    await expectStatus(200, limited.dispute(id));
  }
  const third = await limited.pay();
  expect([third.status, third.headers.get('x-error-code')]).toEqual([400, 'exposure_exceeded']);
  await expectStatus(200, corridor.adminDoes('resolve', ids[0] ?? 0, { outcome: 'cancelled' }));
  await expectStatus(201, limited.pay());
});

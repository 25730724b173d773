import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { copyOrder } from '../support/lost-commits.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** A command or a deadline reaches an order that lost commits before the reconciler checks it: its only round is over. */
const corridor = await useCorridor({ env: { UPKEEP_INTERVAL: '1h' } });
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 10_000 });

const strikes = async (id: number) =>
  (await corridor.sql('select count(*)::int as n from lp_strike where order_id = $1', [id]))[0].n;
const observed = async (id: number) => (await corridor.shared.gateway.runningOrder(id))?.status;
/** The order is at `claimed`, version 2; its workflow has seen `fiat_sent`, version 3. */
async function withLostFiat(): Promise<number> {
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  const loseCommits = await copyOrder(corridor.db, id);
  await expectStatus(200, lp.fiatSent(id));
  await eventuallyEquals(() => observed(id), 'fiat_sent');
  await loseCommits();
  return id;
}
const expectFrozen = async (id: number, row: object) => {
  expect(await corridor.rowOf(id)).toMatchObject({ frozen: true, timeout_at: null, ...row });
  expect(await corridor.lastTransition(id)).toMatchObject({ cause: 'lost-commits' });
};

test('a command freezes the order instead of moving it, whether it is a step or a repetition for the workflow', async () => {
  // For the row both are steps. For the workflow the first is a repetition and the second a step.
  for (const command of [(id: number) => lp.fiatSent(id), (id: number) => agent.dispute(id)]) {
    const id = await withLostFiat();
    expect(await command(id)).toMatchObject({
      ...{ status: 409, body: { error: 'This order is frozen: only an admin can let it continue' } },
    });
    await expectFrozen(id, { status: 'claimed', version: 4 });
  }
});

test('many commands at the same time freeze the order once', async () => {
  const id = await withLostFiat();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? lp.fiatSent(id) : agent.dispute(id))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]));
  await expectFrozen(id, { status: 'claimed', version: 4 });
  const events = await corridor.sql('select seq from order_event where order_id = $1 order by seq', [id]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 4]);
});

test('an earlier contest by an LP is not taken for the freeze', async () => {
  const loser = await corridor.newLp();
  const id = await agent.newOrder();
  await expectStatus(200, loser.claim(id));
  await expectStatus(200, loser.expireNow(id));
  await expectStatus(201, upload(loser, id, fileOf(HEADS['image/png'], 500)));
  await expectStatus(200, loser.dispute(id));
  await expectStatus(200, corridor.adminDoes('unfreeze', id, { false_evidence: true }));
  await expectStatus(200, lp.claim(id));
  const loseCommits = await copyOrder(corridor.db, id);
  await expectStatus(200, lp.fiatSent(id));
  await eventuallyEquals(() => observed(id), 'fiat_sent');
  await loseCommits();
  expect((await agent.dispute(id)).status).toBe(409);
  await expectFrozen(id, { status: 'claimed', contested_by: null });
  const again = await corridor.adminDoes('unfreeze', id, { false_evidence: true });
  expect([again.status, again.headers.get('x-error-code')]).toEqual([409, 'not_contested']);
  expect(await strikes(id)).toBe(2);
});

const OUTAGE = `
  update service_heartbeat set recorded_at = now() - interval '1 hour', good_until = now() - interval '1 hour'`;

test('a row that has reached the version again, in another status, is frozen as well', async () => {
  const id = await withLostFiat();
  await corridor.sql('update orders set version = 3 where id = $1', [id]);
  expect((await agent.dispute(id)).status).toBe(409);
  await expectFrozen(id, { status: 'claimed', version: 4 });
});

test('the first heartbeat after an outage freezes before it moves deadlines', async () => {
  const [id, other] = [await withLostFiat(), await agent.newOrder()];
  // A step that keeps the status. If the deadline moved first, the row would match what the workflow has seen.
  const kept = await agent.newOrder();
  const loseCommits = await copyOrder(corridor.db, kept);
  await expectStatus(200, corridor.adminDoes('extend', kept, { until: '2036-01-01' }));
  await eventuallyEquals(async () => (await corridor.shared.gateway.runningOrder(kept))?.version, 2);
  await loseCommits();
  await corridor.sql(OUTAGE, []);
  await eventually(async () => (await corridor.rowOf(other)).version === 2);
  await expectFrozen(id, { status: 'claimed', version: 4 });
  await expectFrozen(kept, { status: 'matched', version: 3 });
  expect(await corridor.lastTransition(other)).toMatchObject({ cause: 'outage' });
});

test('a workflow that reads its row again freezes an order that has its version in another status', async () => {
  const id = await withLostFiat();
  await corridor.sql('update orders set version = 3 where id = $1', [id]);
  await corridor.shared.gateway.refresh(id);
  await eventuallyEquals(() => observed(id), 'claimed');
  await expectFrozen(id, { status: 'claimed', version: 4 });
});

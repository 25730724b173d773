import { afterAll, afterEach, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { openIncident as openInDatabase } from '../../src/orders/incidents.ts';
import { startCorridor } from '../support/corridor.ts';
import { editEvents } from '../support/edit-events.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { closeIncident, closeIncidents, INCIDENT_REASON, openIncident } from '../support/incidents.ts';
import type { TestLp } from '../support/parties.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { takeStep } from '../support/take-step.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** People who profit from an incident, and calls that race with its opening. */
const corridor = await startCorridor();
const agent = await corridor.newUnlimitedAgent();
const lp = await corridor.newLp({ collateral: 10_000 });
afterEach(() => closeIncidents(corridor.admin));
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const KES = { currency: 'KES', method: null, chain: null };
const claimed = async () => {
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  return id;
};
const strikesOf = async (one: TestLp) =>
  (await expectStatus(200, one.call('GET', `/api/lp/${one.key}/dashboard`))).lp.strikes;
/** A release is no longer free: it does not follow soon after the claim. */
const age = (ids: readonly number[]) =>
  editEvents(
    corridor.db.pool,
    `update order_event set created_at = created_at - interval '10 minutes' where order_id = any ($1)`,
    [ids],
  );
const moveDeadline = (id: number, by: string) =>
  corridor.db.query('t-move-deadline', `update orders set timeout_at = now() + $2::interval where id = $1`, [
    ...[id, by],
  ]);

test('no claim commits after the incident is open, however many race with it', async () => {
  const lps = await Promise.all([1, 2, 3].map(() => corridor.newLp({ collateral: 10_000 })));
  const ids = await Promise.all(Array.from({ length: 12 }, () => agent.newOrder()));
  const claiming = ids.flatMap((id) => lps.map((one) => one.claim(id)));
  await Promise.race(claiming);
  await openInDatabase(corridor.db, KES, INCIDENT_REASON, 'admin:root');
  const countClaimed = async () => {
    const counted = `select count(*)::int as n from orders where id = any ($1) and status = 'claimed'`;
    const [row] = await corridor.db.query<{ n: number }>('t-claimed', counted, [ids]);
    return row?.n;
  };
  const atOpening = await countClaimed();
  const answers = await Promise.all(claiming);
  expect(await countClaimed()).toBe(atOpening);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(atOpening ?? -1);
  for (const id of ids)
    if ((await agent.statusOf(id)) === 'matched') expect((await lp.claim(id)).status).toBe(503);
});

test('no payment commits after the incident is open, and a method or a chain stops its own', async () => {
  const statuses: number[] = [];
  let stop = false;
  const payer = async () => {
    while (!stop) statuses.push((await agent.pay()).status);
  };
  const payers = [payer(), payer(), payer(), payer()];
  await eventually(async () => statuses.length > 8);
  await openInDatabase(corridor.db, { ...KES, currency: null, chain: 'trx' }, INCIDENT_REASON, 'admin:root');
  const orderCount = async () =>
    (await corridor.db.query<{ n: number }>('t-orders', 'select count(*)::int as n from orders', []))[0]?.n;
  const counted = await orderCount();
  await eventually(async () => statuses.filter((status) => status === 503).length > 8);
  stop = true;
  await Promise.all(payers);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  expect(await orderCount()).toBe(counted);
});

test('a claim that a worker carries out after the opening is refused by the step', async () => {
  const id = await agent.newOrder();
  await openIncident(corridor.admin, { chain: 'trx' });
  const command = { trigger: 'claim', lpId: lp.id, validUntil: 'infinity' } as const;
  expect((await takeStep(corridor.db, 'claim', id, command)).result).toBe('paused');
  const auto = { ...command, trigger: 'autoClaim' } as const;
  expect((await takeStep(corridor.db, 'claim', id, auto)).result).toBe('paused');
});

test('an LP whose deadline had passed before the incident gains nothing by it', async () => {
  const late = await corridor.newLp();
  const ids = [await agent.newOrder(), await agent.newOrder()] as const;
  for (const id of ids) await expectStatus(200, late.claim(id));
  await age(ids);
  await corridor.stopWorker();
  for (const id of ids) await moveDeadline(id, '-1 second');
  await openIncident(corridor.admin, { currency: 'KES' });
  await corridor.startWorker();
  // It releases the one, and the other expires in the incident.
  const releasing = await late.release(ids[0]);
  expect([200, 409]).toContain(releasing.status);
  const expire = { trigger: 'deadline', version: (await corridor.rowOf(ids[1])).version } as const;
  if ((await agent.statusOf(ids[1])) === 'claimed')
    await takeStep(corridor.db, 'reofferOrder', ids[1], expire);
  await eventuallyEquals(() => agent.statusOf(ids[1]), 'matched');
  await eventuallyEquals(() => strikesOf(late), 2);
});

test('an LP that cannot pay in an incident gets no strike, whether it waits or releases the order', async () => {
  const honest = await corridor.newLp();
  const ids = [await agent.newOrder(), await agent.newOrder()] as const;
  for (const id of ids) await expectStatus(200, honest.claim(id));
  await age(ids);
  const incident = await openIncident(corridor.admin, { currency: 'KES', method: 'mobile_money' });
  for (const id of ids) await moveDeadline(id, '100 milliseconds');
  await eventually(async () => {
    const past = 'select from orders where id = any ($1) and timeout_at < now()';
    return (await corridor.db.query('t-past', past, [ids])).length === 2;
  });
  const expire = { trigger: 'deadline', version: (await corridor.rowOf(ids[0])).version } as const;
  const deadline = () => takeStep(corridor.db, 'reofferOrder', ids[0], expire);
  expect((await deadline()).result).toBe('clock_stopped');
  await expectStatus(200, honest.release(ids[1], { reason: 'The network is down' }));
  await expectStatus(200, closeIncident(corridor.admin, incident));
  expect(await agent.statusOf(ids[0])).not.toBe('cancelled');
  expect(await strikesOf(honest)).toBeLessThanOrEqual(1);
  const strikes = `select order_id from lp_strike where lp_id = $1 and created_at <= (select closed_at from incident where id = $2)`;
  expect(await corridor.db.query('t-strikes', strikes, [honest.id, incident])).toEqual([]);
});

test('an agent that settles in an incident of the chain gains no time beyond the incident', async () => {
  const id = await claimed();
  await expectStatus(200, lp.fiatSent(id));
  await expectStatus(200, agent.confirm(id));
  const incident = await openIncident(corridor.admin, { chain: 'trx' });
  // The wrong payment: the order waits for another settlement, with a new deadline.
  const wrong = await corridor.payment(agent, id, { amount: 1 });
  await expectStatus(200, agent.settle(id, wrong));
  await eventuallyEquals(() => agent.statusOf(id), 'confirmed');
  const before = await corridor.rowOf(id);
  const answer = await expectStatus(200, closeIncident(corridor.admin, incident));
  const after = await corridor.rowOf(id);
  const lost = Date.parse(answer.closed_at) - Date.parse(answer.opened_at);
  const moved = Date.parse(after.timeout_at) - Date.parse(before.timeout_at);
  expect(moved).toBeLessThan(lost);
  await expectStatus(200, agent.settle(id, await corridor.payment(agent, id)));
  await eventuallyEquals(() => agent.statusOf(id), 'completed');
});

test('the opening waits for a claim that began before it, so that none commits afterwards', async () => {
  const id = await agent.newOrder();
  await corridor.stopWorker();
  const command = { trigger: 'claim', lpId: lp.id, validUntil: 'infinity' } as const;
  const holder = await corridor.db.pool.connect();
  await holder.query('begin');
  await holder.query('select from lp_collateral where lp_id = $1 for update', [lp.id]);
  const claiming = takeStep(corridor.db, 'claim', id, command);
  await eventually(() => countWaiting(corridor.db.pool));
  let isOpen = false;
  const opening = openIncident(corridor.admin, { currency: 'KES' }).then(() => {
    isOpen = true;
  });
  await eventually(async () => isOpen || (await countWaiting(corridor.db.pool, 'lock table pause')) > 0);
  expect(isOpen).toBe(false);
  await holder.query('rollback');
  holder.release();
  expect((await claiming).result).toBe('applied');
  await opening;
  await corridor.startWorker();
});

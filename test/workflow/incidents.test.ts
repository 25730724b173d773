import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { lastTransition, rowOf } from '../support/actors.ts';
import { wakesOrder } from '../support/asleep.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { closeIncident, openIncident } from '../support/incidents.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { timePasses } from '../support/time-passes.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Workflows whose deadlines pass in an incident. */
const corridor = await useCorridor();
const { admin } = corridor;

test('no deadline expires in an incident, nobody gets a strike, and afterwards each expires when it is due', async () => {
  const agent = await corridor.newAgent();
  const [lp, nairaLp] = [await corridor.newLp(), await corridor.newLp({ currency: 'NGN', rate: 1_500 })];
  const naira = await agent.newOrder({ currency: 'NGN', amount: 15_000 });
  const [claimed, open] = [await agent.newOrder(), await agent.newOrder()];
  await expectStatus(200, lp.claim(claimed));
  const incident = await openIncident(admin, { currency: 'KES' });
  const { gateway } = corridor.shared;
  await timePasses(corridor.db.pool, '2 hours', true);
  // The workflows read the passed deadlines.
  for (const id of [claimed, open, naira]) await gateway.refresh(id, await wakesOrder(corridor.db, id));
  const before = await rowOf(admin, claimed);
  // The deadline of the other currency shows that a deadline would have expired by now.
  await eventuallyEquals(() => agent.statusOf(naira), 'cancelled');
  expect(await agent.statusOf(claimed)).toBe('claimed');
  expect(await agent.statusOf(open)).toBe('matched');
  const closed = await expectStatus(200, closeIncident(admin, incident));
  expect(closed.moved).toBe(2);
  expect(await lastTransition(admin, claimed)).toMatchObject({
    ...{ from_status: 'claimed', status: 'claimed', actor: 'service', cause: 'incident' },
  });
  const after = await rowOf(admin, claimed);
  const lost = Date.parse(closed.closed_at) - Date.parse(closed.opened_at);
  // Its turn comes before the incident is closed.
  const moved = Date.parse(after.timeout_at) - Date.parse(before.timeout_at);
  expect(moved).toBeGreaterThan(lost / 2);
  expect(moved).toBeLessThanOrEqual(lost + 1_000);
  // The workflow learns its new deadline: the LP can still act, and the open order expires at the new one.
  await expectStatus(200, lp.fiatSent(claimed));
  expect(await agent.statusOf(open)).toBe('matched');
  await passDeadline(corridor, open);
  await eventuallyEquals(() => agent.statusOf(open), 'cancelled');
  expect(await lastTransition(admin, open)).toMatchObject({ cause: 'deadline' });
  void nairaLp;
  await expectSoundWhenStill(corridor);
});

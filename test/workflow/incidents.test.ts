import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import {
  claim,
  fiatSent,
  lastTransition,
  newAgent,
  newLp,
  newOrder,
  rowOf,
  statusOf,
} from '../support/actors.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { corridorForFile } from '../support/file-corridor.ts';
import { closeIncident, openIncident } from '../support/incidents.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** Workflows whose deadlines pass in an incident. */
const corridor = await corridorForFile({ env: { CLAIM_TIMEOUT: '15s', FIAT_TIMEOUT: '15s' } });
const { admin } = corridor;

const untilPast = (ids: number[]) =>
  eventually(async () => {
    const past = 'select from orders where id = any ($1) and timeout_at < now()';
    return (await corridor.db.query('t-past', past, [ids])).length === ids.length;
  });

test('no deadline expires in an incident, nobody gets a strike, and afterwards each expires when it is due', async () => {
  const agent = await newAgent(corridor);
  const [lp, nairaLp] = [await newLp(corridor), await newLp(corridor, { currency: 'NGN', rate: 1_500 })];
  const naira = await newOrder(agent, { currency: 'NGN', amount: 15_000 });
  const [claimed, open] = [await newOrder(agent), await newOrder(agent)];
  await expectStatus(200, claim(lp, claimed));
  const incident = await openIncident(admin, { currency: 'KES' });
  const before = await rowOf(admin, claimed);
  await untilPast([claimed, open, naira]);
  // The deadline of the other currency shows that a deadline would have expired by now.
  await eventuallyEquals(() => statusOf(agent, naira), 'cancelled');
  expect(await statusOf(agent, claimed)).toBe('claimed');
  expect(await statusOf(agent, open)).toBe('matched');
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
  // On a busy machine, the new deadline may pass before the LP acts.
  const { status } = await fiatSent(lp, claimed);
  if (Date.now() < Date.parse(after.timeout_at)) expect(status).toBe(200);
  else expect([200, 403, 409]).toContain(status);
  await eventuallyEquals(() => statusOf(agent, open), 'cancelled');
  expect(await lastTransition(admin, open)).toMatchObject({ cause: 'deadline' });
  void nairaLp;
  await expectSoundWhenStill(corridor);
});

import { afterAll, expect, test } from '@jest/globals';
import { createOfferRepetition } from '../../src/operations/upkeep/jobs/repeat-auto-claim-offers.ts';
import { copiesOf } from '../support/copied-orders.ts';
import { startCorridor } from '../support/corridor.ts';

/** No worker runs, so the test itself runs the rounds of the job. */
const corridor = await startCorridor({ worker: false });
afterAll(() => corridor.stop());
const { db, shared } = corridor;
/** The job, with a gateway that notes each order which it signals, unless it is refused. */
const jobWith = (signalled: (orderId: number) => void) =>
  createOfferRepetition(
    {
      db,
      gateway: {
        offer: async (orderId) => {
          signalled(orderId);
          return true;
        },
      },
      ...{ strikeCoolDown: 0, log: shared.log },
    },
    '0 ms',
  );
const becomesDue = (lpId: number) =>
  corridor.sql(
    `insert into lp_auto_claim (lp_id, enabled, min_profit_usd, offers_due_at) values ($1, true, -1, now())
     on conflict (lp_id) do update set enabled = true, min_profit_usd = -1, offers_due_at = now(), offered_at = null`,
    [lpId],
  );
const isOffered = async (lpId: number) =>
  (await corridor.sql('select offered_at from lp_auto_claim where lp_id = $1', [lpId]))[0].offered_at !==
  null;

test('an LP that becomes able to claim is offered all open orders, some in each round, and each of them once', async () => {
  const [agent, lp] = [await corridor.newAgent(), await corridor.newLp({ collateral: 10_000 })];
  await copiesOf(corridor, await agent.newOrder(), 250);
  await becomesDue(lp.id);
  const offered: number[] = [];
  const round = jobWith((id) => offered.push(id));
  const counts: number[] = [];
  for (let rounds = 0; rounds < 4; rounds++) {
    await round();
    counts.push(offered.length);
    expect(await isOffered(lp.id)).toBe(rounds >= 2);
  }
  const open = await corridor.sql(`select id from orders where status = 'matched' order by id desc`);
  expect([open.length, offered.toSorted((a, b) => b - a)]).toEqual([251, open.map(({ id }) => Number(id))]);
  expect(counts).toEqual([100, 200, 251, 251]);

  // An order that Temporal refuses keeps no other from its turn, and is offered again.
  const [{ id: newest }] = open;
  const again: number[] = [];
  let isRefused = true;
  const failing = jobWith((id) => {
    if (isRefused && id === Number(newest)) throw new Error('refused');
    again.push(id);
  });
  await becomesDue(lp.id);
  await expect(failing()).rejects.toThrow('the offers to 1 LPs failed');
  for (let rounds = 0; rounds < 2; rounds++) await failing();
  expect([again.length, await isOffered(lp.id)]).toEqual([250, false]);
  isRefused = false;
  for (let rounds = 0; rounds < 3; rounds++) await failing();
  expect([again.length, await isOffered(lp.id)]).toEqual([501, true]);
});

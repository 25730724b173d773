import { afterAll, expect, test } from '@jest/globals';
import { createOfferRepetition } from '../../src/upkeep/jobs/repeat-auto-claim-offers.ts';
import { newAgent, newLp, newOrder } from '../support/actors.ts';
import { copiesOf } from '../support/copied-orders.ts';
import { startCorridor } from '../support/corridor.ts';

/** No worker runs, so the test itself runs the rounds of the job. */
const corridor = await startCorridor({ worker: false });
afterAll(() => corridor.stop());
const { db, shared } = corridor;
const sql = async (text: string, values: unknown[] = []) => (await db.pool.query(text, values)).rows;

test('an LP that becomes able to claim is offered all open orders, some in each round, and each of them once', async () => {
  const [agent, lp] = [await newAgent(corridor), await newLp(corridor, { collateral: 10_000 })];
  await copiesOf(corridor, await newOrder(agent), 250);
  await sql(
    `insert into lp_auto_claim (lp_id, enabled, min_profit_usd, offers_due_at) values ($1, true, -1, now())
     on conflict (lp_id) do update set enabled = true, min_profit_usd = -1, offers_due_at = now(), offered_at = null`,
    [lp.id],
  );
  const offered: number[] = [];
  const round = createOfferRepetition(
    {
      db,
      gateway: {
        offer: async (orderId) => {
          offered.push(orderId);
          return true;
        },
      },
      ...{ strikeCoolDown: 0, log: shared.log },
    },
    '0 ms',
  );
  const offeredAt = async () =>
    (await sql('select offered_at from lp_auto_claim where lp_id = $1', [lp.id]))[0];
  const counts: number[] = [];
  for (let rounds = 0; rounds < 4; rounds++) {
    await round();
    counts.push(offered.length);
    expect((await offeredAt()).offered_at === null).toBe(rounds < 2);
  }
  const open = await sql(`select id from orders where status = 'matched' order by id desc`);
  expect([open.length, offered.toSorted((a, b) => b - a)]).toEqual([251, open.map(({ id }) => Number(id))]);
  expect(counts).toEqual([100, 200, 251, 251]);
});

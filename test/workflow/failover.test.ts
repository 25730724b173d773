import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { orderState, type StateRow } from '../../src/orders/order-state-row.ts';
import {
  claim,
  confirmedOrder,
  dispute,
  fiatSent,
  lastTransition,
  newAgent,
  newLp,
  newOrder,
  payment,
  settle,
  statusOf,
} from '../support/actors.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { corridorForFile } from '../support/file-corridor.ts';

/** A database that failed over and lost commits: the row has the workflow's version with another status. */
const corridor = await corridorForFile({ env: { VERIFY_TIMEOUT: '2s' } });
const agent = await newAgent(corridor);
const lp = await newLp(corridor);

const sql = async (text: string, values: unknown[]) => (await corridor.db.pool.query(text, values)).rows;
/** The row is at another status, whose deadline has not passed. */
const FAIL_OVER = `
  update orders set status = $2, timeout_at = now() + interval '1 hour' where id = $1 returning *`;
const failOver = (id: number, status: string) => sql(FAIL_OVER, [id, status]);
const strikes = async (id: number) =>
  (await sql('select count(*)::int as n from lp_strike where order_id = $1', [id]))[0].n;
const observed = async (id: number) => (await corridor.shared.gateway.runningOrder(id))?.status;

test('a command is decided from the row, not from what the workflow saw', async () => {
  const [repeated, disputed] = [await newOrder(agent), await newOrder(agent)];
  for (const id of [repeated, disputed]) {
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, fiatSent(lp, id));
    await failOver(id, 'claimed');
  }
  // To the workflow it is a repeat, to the row it is a step.
  expect((await expectStatus(200, fiatSent(lp, repeated))).status).toBe('fiat_sent');
  expect(await lastTransition(corridor.admin, repeated)).toMatchObject({ seq: 4, from_status: 'claimed' });
  await expectStatus(200, dispute(agent, disputed));
  expect(await lastTransition(corridor.admin, disputed)).toMatchObject({ seq: 4, from_status: 'claimed' });
});

test('the deadline of a lost history moves no order and strikes nobody', async () => {
  const id = await confirmedOrder(agent, lp);
  const hash = await payment(corridor, agent, id, { final_after_ms: 600_000 });
  await expectStatus(200, settle(agent, id, hash));
  await failOver(id, 'claimed');
  await eventuallyEquals(() => observed(id), 'claimed');
  expect([await statusOf(agent, id), await strikes(id)]).toEqual(['claimed', 0]);
  // The order continues from its row.
  await expectStatus(200, fiatSent(lp, id));
});

test('a refresh with the same version and another status is taken', async () => {
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp, id));
  await expectStatus(200, fiatSent(lp, id));
  const [row] = await failOver(id, 'claimed');
  await corridor.shared.gateway.refresh(id, { state: orderState(row as StateRow), webhooks: [] });
  await eventuallyEquals(() => observed(id), 'claimed');
  await expectStatus(200, fiatSent(lp, id));
});

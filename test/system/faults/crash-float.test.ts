import { expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { CLAIMS } from '../../../src/operations/diagnosis/checks/claims.ts';
import { findingsOf, runChecks } from '../../../src/operations/diagnosis/finding.ts';
import { claim, newLp, release, rowOf } from '../../support/actors.ts';
import { type CrashTest, inCrashTest } from '../../support/crash-test.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { claim as claimAgain, newOrder } from '../../support/repeated-steps.ts';

/** Kills a worker around the commit of a step that changes an LP's float. Another worker continues the order. */

const AMOUNT = 1_295;
const FLOAT = 2_000;
const NOTHING = { float: FLOAT, float_reserved: 0 };
const RESERVED = { float: FLOAT - AMOUNT, float_reserved: AMOUNT };

async function openOrder({ corridor, agent, lp }: CrashTest): Promise<number> {
  const terms = { currency: 'KES', float: FLOAT };
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/terms`, terms));
  // The order can be offered to another LP after a release.
  await newLp(corridor);
  return newOrder(agent, { amount: AMOUNT });
}

/** The LP's float, and what contradicts the promise that the reserved float is that of the open claims. */
async function floatNow({ corridor: { db }, lp }: CrashTest) {
  const sql = `select float_available::float as float, float_reserved::float as float_reserved
    from lp_term where lp_id = $1 and currency = 'KES' and method = 'mobile_money'`;
  const [float] = await db.query('crash-float', sql, [lp.id]);
  expect(findingsOf(await runChecks(db, CLAIMS))).toEqual([]);
  return float;
}

test.concurrent.each([
  ['step.begun', NOTHING],
  ['step.committed', RESERVED],
] as const)(
  'a worker that dies at %s of a claim reserves the float once',
  inCrashTest(async (site, point, left) => {
    const id = await openOrder(site);
    await site.workerDiesDuring(point, () => claim(site.lp, id));
    expect(await floatNow(site)).toEqual(left);

    await site.corridor.startWorker();
    await eventuallyEquals(async () => (await claim(site.lp, id)).status, 200);
    expect(await floatNow(site)).toEqual(RESERVED);
    expect(await site.causesOf(id)).toEqual(['pay', 'claim']);
  }),
);

test.concurrent.each([
  ['step.begun', RESERVED],
  ['step.committed', NOTHING],
] as const)(
  'a worker that dies at %s of a release gives the float back once',
  inCrashTest(async (site, point, left) => {
    const id = await openOrder(site);
    await expectStatus(200, claimAgain(site.lp, id));
    await site.workerDiesDuring(point, () => release(site.lp, id));
    expect(await floatNow(site)).toEqual(left);

    await site.corridor.startWorker();
    await eventuallyEquals(async () => (await release(site.lp, id)).status, 200);
    expect(await floatNow(site)).toEqual(NOTHING);
    expect(await rowOf(site.corridor.admin, id)).toMatchObject({ status: 'matched', lp_id: null });
    expect(await site.causesOf(id)).toEqual(['pay', 'claim', 'release']);
  }),
);

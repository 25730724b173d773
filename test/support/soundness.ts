import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Database } from '../../src/db/orm.ts';
import { checkInvariants } from '../../src/invariants/check.ts';
import type { TestCorridor } from './corridor.ts';
import { untilStill } from './still.ts';

/**
 * Right after a fault rows and workflows may disagree for longer than the ten seconds that hold else: processes start
 * beside each other, and Temporal waits for the dead ones.
 */
const AFTER_A_FAULT_MS = 90_000;
/** Temporal gives a dead worker half a minute for a webhook, and the attempts after that take some seconds. */
const OWED_FOR_MS = 120_000;

type Looked = Pick<TestCorridor, 'db' | 'shared'>;

/** All that Corridor promises holds a moment after a fault; an order that has just moved is not compared with its workflow. */
export const expectSound = (corridor: Looked): Promise<void> => expectNoBreach(corridor, AFTER_A_FAULT_MS);

/**
 * All that Corridor promises holds of everything, the orders that moved last among it, within the time that is
 * promised; and nobody waits for a webhook any more.
 */
export async function expectSoundWhenStill(corridor: Looked): Promise<void> {
  await expectNothingOwed(corridor.db);
  await untilStill((text) => corridor.db.query('still', text, []));
  await expectNoBreach(corridor);
}

/** Every webhook is delivered or exhausted, within `patienceMs`. That an order's workflow runs is no excuse. */
export async function expectNothingOwed(db: Database, patienceMs = OWED_FOR_MS): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  const look = async () =>
    (await db.query<{ owed: string }>('webhooks-owed', OWED, [])).map(({ owed }) => owed);
  let owed = await look();
  while (owed.length > 0 && Date.now() < giveUpAt) {
    await delay(250);
    owed = await look();
  }
  expect(owed).toEqual([]);
}

const OWED = `
  select 'order ' || order_id || ', webhook ' || seq || ', after ' || attempts || ' attempts' as owed
  from webhook_delivery where state = 'pending' order by order_id, seq`;

async function expectNoBreach({ db, shared: { gateway, log } }: Looked, agreeWithinMs?: number) {
  expect(await checkInvariants({ db, gateway, log, agreeWithinMs })).toEqual([]);
}

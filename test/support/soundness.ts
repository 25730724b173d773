import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Database } from '../../src/db/orm.ts';
import { checkInvariants, type InvariantDeps } from '../../src/diagnosis/check-invariants.ts';
import type { TestCorridor } from './corridor.ts';
import { untilStill } from './still.ts';

/**
 * Right after a fault, rows and workflows may disagree for longer than the promised ten seconds: processes start
 * at the same time, and Temporal waits for the dead ones.
 */
const AFTER_A_FAULT_MS = 90_000;
/** Temporal waits half a minute for a dead worker's webhook, and the attempts after that take some seconds. */
const OWED_FOR_MS = 120_000;

/** The reconciler runs every half second in tests, so an idle order is in Temporal's lists sooner than elsewhere. */
const SETTLED_AFTER = '3 seconds';

type Looked = Pick<TestCorridor, 'db' | 'shared'>;

/** Expects that all promises hold shortly after a fault. Orders that have just moved are not compared with their workflows. */
export const expectSound = (corridor: Looked): Promise<void> =>
  expectNoFindings(corridor, { agreeWithinMs: AFTER_A_FAULT_MS });

/**
 * Expects that all promises hold for all orders, also those that moved last, within the promised
 * time, and that no webhook is pending.
 */
export async function expectSoundWhenStill(corridor: Looked): Promise<void> {
  await expectNothingOwed(corridor.db);
  await untilStill((text) => corridor.db.query('still', text, []), SETTLED_AFTER);
  await expectNoFindings(corridor, { settledAfter: SETTLED_AFTER });
}

/** Expects that every webhook is delivered or exhausted within `patienceMs`, even if its order's workflow runs. */
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
  select 'order ' || order_id || ' (' || status || ', version ' || version || '), webhook ' || seq
    || coalesce(' to LP ' || due.lp_id, '') || ', after ' || attempts || ' attempts' as owed
  from webhook_delivery due join orders on orders.id = order_id where state = 'pending' order by order_id, seq`;

async function expectNoFindings(
  { db, shared: { gateway, log } }: Looked,
  times: Pick<InvariantDeps, 'agreeWithinMs' | 'settledAfter'>,
) {
  expect(await checkInvariants({ db, gateway, log, ...times })).toEqual([]);
}

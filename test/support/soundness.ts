import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Database } from '../../src/db/orm.ts';
import { checkInvariants, type InvariantDeps } from '../../src/operations/diagnosis/check-invariants.ts';
import type { TestCorridor } from './corridor.ts';
import { waitUntilIdle } from './idle.ts';

/**
 * Directly after a fault, rows and workflows may disagree for longer than the promised ten seconds: processes start
 * at the same time, and Temporal waits for the dead ones.
 */
const AFTER_A_FAULT_MS = 90_000;
/** The reconciler reads lists and sends signals. Beside many other processes this takes longer than the promised ten seconds. */
const ON_A_BUSY_MACHINE_MS = 60_000;
/** Temporal waits half a minute for a dead worker's webhook, and the attempts after that take some seconds. */
const PENDING_FOR_MS = 120_000;

/** In tests the reconciler runs every half second, so Temporal's lists show an idle order sooner than in production. */
const SETTLED_AFTER = '3 seconds';

type Checked = Pick<TestCorridor, 'db' | 'shared'>;

/** Expects that all invariants hold shortly after a fault. Orders that have just moved are not compared with their workflows. */
export const expectSound = (corridor: Checked): Promise<void> =>
  expectNoFindings(corridor, { agreeWithinMs: AFTER_A_FAULT_MS });

/**
 * Expects that all invariants hold for all orders, including those that moved last, and that no webhook is pending.
 */
export async function expectSoundWhenStill(corridor: Checked): Promise<void> {
  await expectNoPendingWebhooks(corridor.db);
  await waitUntilIdle((text) => corridor.db.query('idle', text, []), SETTLED_AFTER);
  await expectNoFindings(corridor, { settledAfter: SETTLED_AFTER, agreeWithinMs: ON_A_BUSY_MACHINE_MS });
}

/** Expects that every webhook is delivered or exhausted within `timeoutMs`. */
export async function expectNoPendingWebhooks(db: Database, timeoutMs = PENDING_FOR_MS): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  const readPending = async () =>
    (await db.query<{ pending: string }>('webhooks-pending', PENDING, [])).map(({ pending }) => pending);
  let pending = await readPending();
  while (pending.length > 0 && Date.now() < giveUpAt) {
    await delay(250);
    pending = await readPending();
  }
  expect(pending).toEqual([]);
}

const PENDING = `
  select 'order ' || order_id || ' (' || status || ', version ' || version || '), webhook ' || seq
    || coalesce(' to LP ' || due.lp_id, '') || ', after ' || attempts || ' attempts' as pending
  from webhook_delivery due join orders on orders.id = order_id where state = 'pending' order by order_id, seq`;

async function expectNoFindings(
  { db, shared: { gateway, log } }: Checked,
  times: Pick<InvariantDeps, 'agreeWithinMs' | 'settledAfter'>,
) {
  expect(await checkInvariants({ db, gateway, log, ...times })).toEqual([]);
}

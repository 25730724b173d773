import type { CrashPoint } from '../../src/process/crash-point.ts';
import { type Agent, collateralOf, newAgent, newLp, type TestLp } from './actors.ts';
import { startCorridor, type TestCorridor } from './corridor.ts';
import { freshDatabase } from './database.ts';
import { type Dying, dyingBeside } from './dying.ts';
import { expectSoundWhenStill } from './soundness.ts';

/** A Corridor whose processes die at crash points. The Corridor that repairs what they leave runs in the test process. */
export interface CrashSite {
  corridor: TestCorridor;
  databaseUrl: string;
  agent: Agent;
  /** Has enough collateral for all orders of a test. */
  lp: TestLp;
  dying: Dying;
  /** Replaces the worker by one that dies at `point` of the work that `act` causes. */
  workerDiesOver: (point: CrashPoint, act: () => Promise<unknown>) => Promise<void>;
  /** The causes of the order's events, oldest first. */
  causesOf: (orderId: number) => Promise<string[]>;
  lockedBy: (one: TestLp) => Promise<number>;
  close: () => Promise<void>;
}

export async function openCrashSite(): Promise<CrashSite> {
  const databaseUrl = await freshDatabase();
  const corridor = await startCorridor({ databaseUrl });
  const dying = dyingBeside(corridor, databaseUrl);
  const sql = 'select cause from order_event where order_id = $1 order by seq';
  return {
    corridor,
    databaseUrl,
    agent: await newAgent(corridor),
    lp: await newLp(corridor, { collateral: 10_000 }),
    dying,
    workerDiesOver: async (point, act) => {
      await corridor.stopWorker();
      const worker = await dying.start('worker', point);
      await act();
      await worker.died();
    },
    causesOf: async (orderId) => {
      const events = await corridor.db.query<{ cause: string }>('crash-events', sql, [orderId]);
      return events.map(({ cause }) => cause);
    },
    lockedBy: async (one) => (await collateralOf(corridor, one)).locked,
    close: async () => {
      await dying.end();
      await corridor.stop();
    },
  };
}

/**
 * The body of a test that has a crash site of its own. Such tests can run at the same time: most of their time, Temporal
 * waits for a dead worker. Ends with the check that all rows and workflows agree.
 */
export const atCrashSite =
  <Args extends unknown[]>(body: (site: CrashSite, ...args: Args) => Promise<void>) =>
  async (...args: Args): Promise<void> => {
    const site = await openCrashSite();
    try {
      await body(site, ...args);
      await site.dying.end();
      await site.corridor.startWorker();
      await expectSoundWhenStill(site.corridor);
    } finally {
      await site.close();
    }
  };

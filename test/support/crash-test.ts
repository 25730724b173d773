import type { CrashPoint } from '../../src/process/crash-point.ts';
import { type Agent, collateralOf, newAgent, newLp, type TestLp } from './actors.ts';
import { INSTALLATION_TIMEOUTS, startCorridor, type TestCorridor } from './corridor.ts';
import { type CrashingProcesses, createCrashingProcesses } from './crashing-processes.ts';
import { freshDatabase } from './database.ts';
import { expectSoundWhenStill } from './soundness.ts';

/** A test whose processes crash at crash points. Another Corridor, in the test process, repairs the orders afterwards. */
export interface CrashTest {
  corridor: TestCorridor;
  databaseUrl: string;
  agent: Agent;
  /** Has enough collateral for all orders of a test. */
  lp: TestLp;
  crashing: CrashingProcesses;
  /** Replaces the worker by one that crashes at `point` while it handles `request`. */
  workerDiesDuring: (point: CrashPoint, request: () => Promise<unknown>) => Promise<void>;
  /** The causes of the order's events, oldest first. */
  causesOf: (orderId: number) => Promise<string[]>;
  lockedBy: (one: TestLp) => Promise<number>;
  close: () => Promise<void>;
}

export async function openCrashTest(): Promise<CrashTest> {
  const databaseUrl = await freshDatabase();
  const corridor = await startCorridor({ databaseUrl, timeouts: INSTALLATION_TIMEOUTS });
  const crashing = createCrashingProcesses(corridor, databaseUrl);
  const sql = 'select cause from order_event where order_id = $1 order by seq';
  return {
    corridor,
    databaseUrl,
    agent: await newAgent(corridor),
    lp: await newLp(corridor, { collateral: 10_000 }),
    crashing,
    workerDiesDuring: async (point, request) => {
      await corridor.stopWorker();
      const worker = await crashing.start('worker', point);
      await request();
      await worker.died();
    },
    causesOf: async (orderId) => {
      const events = await corridor.db.query<{ cause: string }>('crash-events', sql, [orderId]);
      return events.map(({ cause }) => cause);
    },
    lockedBy: async (one) => (await collateralOf(corridor, one)).locked,
    close: async () => {
      await crashing.end();
      await corridor.stop();
    },
  };
}

/**
 * Wraps the body of a test with a crash test of its own. Such tests can run in parallel: most of the time, Temporal waits
 * for a dead worker. At the end, all rows and workflows must agree.
 */
export const inCrashTest =
  <Args extends unknown[]>(body: (site: CrashTest, ...args: Args) => Promise<void>) =>
  async (...args: Args): Promise<void> => {
    const site = await openCrashTest();
    try {
      await body(site, ...args);
      await site.crashing.end();
      await site.corridor.startWorker();
      await expectSoundWhenStill(site.corridor);
    } finally {
      await site.close();
    }
  };

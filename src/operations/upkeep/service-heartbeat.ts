import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import { anyProcess } from '../../db/process-heartbeats.ts';
import { isAfterOutage, recordHeartbeatAndShiftDeadlines } from '../../orders/steps/shift-deadlines.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import { createLossFreezing } from './jobs/freeze-after-loss.ts';
import { observeRunning } from './observe-orders.ts';

const EVERY_MS = 3_000;

export interface ServiceHeartbeatDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
  /** Milliseconds; deadlines move by the length of any longer gap between two service heartbeats. */
  outageThreshold: number;
}

/**
 * Records the service heartbeat while the service is complete: this worker runs, the database and Temporal answer, and
 * an API process runs. Every worker records it, so that a busy worker does not count as an outage. So it is not a
 * job of the reconciler, which runs in one worker at a time.
 */
export function startServiceHeartbeat({ db, gateway, log, outageThreshold }: ServiceHeartbeatDeps): {
  close: () => Promise<void>;
} {
  const freezeLost = createLossFreezing({ db, gateway, log });
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let recording = record();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await recording;
    },
  };

  /**
   * The outage may have been a failover that lost commits. A shifted deadline increases the row's version, which could
   * then equal the lost one. So this compares rows with workflows first, and no deadline expires until that has
   * succeeded. A worker that finds the deadlines half shifted compares too: the database may have failed over meanwhile.
   * Returns false if the worker has begun to stop before all were compared.
   */
  async function freezeBeforeShift(): Promise<boolean> {
    if (!(await isAfterOutage(db))) return true;
    for await (const page of observeRunning({ db, gateway })) {
      if (closed) return false;
      await freezeLost(page);
    }
    return true;
  }

  async function record(): Promise<void> {
    try {
      if ((await gateway.isReachable()) && (await anyProcess(db, 'api')) && (await freezeBeforeShift())) {
        const moved = await recordHeartbeatAndShiftDeadlines(db, outageThreshold, {
          isStopping: () => closed,
        });
        // Workflows learn the new deadline from the reconciler, or when they try the old one.
        if (moved > 0)
          log.warn({ orders: moved }, 'moved the deadlines of orders by the length of an outage');
      }
    } catch (error) {
      log.warn({ err: error }, 'the service heartbeat was not recorded');
    }
    if (closed) return;
    timer = setTimeout(() => {
      recording = record();
    }, EVERY_MS);
  }
}

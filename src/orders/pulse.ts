import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { anyProcess } from '../db/queries/process-presence.ts';
import { beat } from '../db/queries/service-pulse.ts';
import type { OrderGateway } from './gateway.ts';

const EVERY_MS = 3_000;

export interface PulseDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
  /** Milliseconds; deadlines move by the length of a longer gap between two beats. */
  outageThreshold: number;
}

/**
 * Beats for as long as the service is there: this worker runs, the database and Temporal answer, and so does some API.
 * Every worker beats, so that a busy one is no outage. Apart from the reconciler, whose turns may take long.
 */
export function keepPulse({ db, gateway, log, outageThreshold }: PulseDeps): { close: () => Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let beating = beatOnce();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await beating;
    },
  };

  async function beatOnce(): Promise<void> {
    try {
      if ((await gateway.isReachable()) && (await anyProcess(db, 'api'))) {
        const moved = await beat(db, outageThreshold);
        // Their workflows learn it from the reconciler, or when they ask for the old deadline.
        if (moved > 0)
          log.warn({ orders: moved }, 'the service was away; the deadlines of its orders were moved');
      }
    } catch (error) {
      log.warn({ err: error }, 'the pulse could not be kept');
    }
    if (closed) return;
    timer = setTimeout(() => {
      beating = beatOnce();
    }, EVERY_MS);
  }
}

import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import type { StepRefusal } from '../domain/steps.ts';
import type { OutcomeChannel } from './outcome-channel.ts';

/** The recorded answer to a request that was sent to an order's workflow. */
export interface Outcome {
  result: 'applied' | 'already' | StepRefusal;
  /** The order's status after it. */
  status: OrderStatus;
}

export interface OutcomeWaiter {
  /** Resolves with the recorded outcome, or undefined when there is none in time. */
  wait: (requestId: string, timeoutMs: number) => Promise<Outcome | undefined>;
  /** Whoever still waits is told that there is no outcome. */
  close: () => void;
}

const LOOK_EVERY_MS = 250;
const READ_OUTCOMES =
  'select request_id, result, status from order_outcome where request_id = any($1::uuid[])';

/**
 * Waits for outcomes on behalf of HTTP handlers. Hints from the channel make it fast; a look at everything that is
 * waited for, a few times a second, makes it true when a hint was lost.
 */
export function createOutcomeWaiter(db: Database, channel: OutcomeChannel, log: Logger): OutcomeWaiter {
  const waiting = new Map<string, (outcome: Outcome | undefined) => void>();
  let hinted = new Set<string>();
  let reading = false;

  const look = (requestIds: Iterable<string>) => {
    for (const id of requestIds) if (waiting.has(id)) hinted.add(id);
    void readHinted();
  };
  channel.onAnnounced(look);
  const tick = setInterval(() => look(waiting.keys()), LOOK_EVERY_MS);

  return {
    wait: (requestId, timeoutMs) =>
      new Promise((resolve) => {
        const done = (outcome: Outcome | undefined) => {
          clearTimeout(timer);
          waiting.delete(requestId);
          resolve(outcome);
        };
        const timer = setTimeout(() => done(undefined), timeoutMs);
        waiting.set(requestId, done);
      }),
    close: () => {
      clearInterval(tick);
      for (const done of waiting.values()) done(undefined);
    },
  };

  /** One read at a time; what is announced meanwhile is read together in the next. */
  async function readHinted() {
    if (reading) return;
    reading = true;
    while (hinted.size > 0) {
      const batch = [...hinted];
      hinted = new Set();
      await read(batch);
    }
    reading = false;
  }

  async function read(requestIds: string[]) {
    try {
      const rows = await db.query<Outcome & { request_id: string }>('outcomes', READ_OUTCOMES, [requestIds]);
      for (const { request_id, result, status } of rows) waiting.get(request_id)?.({ result, status });
    } catch (error) {
      log.warn({ err: error }, 'outcomes could not be read; trying again');
    }
  }
}

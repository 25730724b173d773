import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import type { OutcomeChannel } from './outcome-channel.ts';
import { type Outcome, readOutcomes } from './outcomes.ts';

export interface OutcomeWaiter {
  /** Resolves with the recorded outcome, or undefined if there is none in time. */
  wait: (requestId: string, timeoutMs: number) => Promise<Outcome | undefined>;
  /** Resolves every wait that is still open with undefined. */
  close: () => void;
}

const POLL_INTERVAL_MS = 250;

/**
 * Waits for outcomes on behalf of HTTP handlers. Announcements from the channel make it fast: that of an applied request
 * is its outcome, any other makes the waiter read. A poll for every open wait makes it reliable when one is lost.
 */
export function createOutcomeWaiter(db: Database, channel: OutcomeChannel, log: Logger): OutcomeWaiter {
  const waiting = new Map<string, (outcome: Outcome | undefined) => void>();
  let unread = new Set<string>();
  let isReading = false;

  const readSoon = (requestIds: Iterable<string>) => {
    for (const id of requestIds) if (waiting.has(id)) unread.add(id);
    void readAll();
  };
  channel.onAnnounced((announcements) => {
    const toRead: string[] = [];
    for (const { requestId, applied: status } of announcements) {
      if (status) waiting.get(requestId)?.({ result: 'applied', status });
      else toRead.push(requestId);
    }
    readSoon(toRead);
  });
  const poll = setInterval(() => readSoon(waiting.keys()), POLL_INTERVAL_MS);

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
      clearInterval(poll);
      for (const done of waiting.values()) done(undefined);
    },
  };

  /** One read at a time. Ids that arrive during a read are read together in the next one. */
  async function readAll() {
    if (isReading) return;
    isReading = true;
    while (unread.size > 0) {
      const batch = [...unread];
      unread = new Set();
      await read(batch);
    }
    isReading = false;
  }

  async function read(requestIds: string[]) {
    try {
      for (const { request_id, result, status } of await readOutcomes(db, requestIds))
        waiting.get(request_id)?.({ result, status });
    } catch (error) {
      log.warn({ err: error }, 'outcomes could not be read; trying again');
    }
  }
}

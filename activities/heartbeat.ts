import { Context } from '@temporalio/activity';

/** Well within the `heartbeatTimeout` of the activities that send heartbeats. */
const INTERVAL_MS = 2_000;

/** Sends heartbeats to Temporal during the work, so that a dead worker is noticed before the activity's own timeout. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

import { Context } from '@temporalio/activity';

/** Well within the `heartbeatTimeout` of the activities that beat. */
const EVERY_MS = 2_000;

/** Lets Temporal know, for as long as the work takes, that its worker lives: from a dead one it is taken sooner. */
export async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

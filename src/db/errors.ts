/**
 * SQLSTATEs and socket errors that mean: not now. The database is away, starting, stopping, full or without memory, was
 * asked to give up, had two transactions in each other's way, or is a standby that only reads, after a failover; or it does
 * not let us in any more, as between the change of a password there and here.
 */
const AWAY_CODES =
  /^(08...|25006|28000|28P01|40001|40P01|53[1-4]00|57014|57P0[1-5]|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/;
const AWAY_MESSAGES =
  /timeout exceeded when trying to connect|connection terminated|query read timeout|client has encountered a connection error|not queryable/i;

/** Whether an error says that the database cannot serve at the moment, rather than that it refused something. */
export function isDatabaseAway(error: unknown): boolean {
  for (let e = error as { code?: unknown; message?: unknown; cause?: unknown } | undefined; e; ) {
    if (typeof e.code === 'string' && AWAY_CODES.test(e.code)) return true;
    if (typeof e.message === 'string' && AWAY_MESSAGES.test(e.message)) return true;
    e = e.cause as typeof e;
  }
  return false;
}

/** SQLSTATE classes and socket errors that mean: the database is away, starting, stopping, or full. */
const AWAY_CODES =
  /^(08...|53300|53400|57P0[1-5]|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/;
const AWAY_MESSAGES =
  /timeout exceeded when trying to connect|connection terminated|query read timeout|client has encountered a connection error|not queryable/i;

/** Whether an error says that the database could not be reached, rather than that it refused something. */
export function isDatabaseAway(error: unknown): boolean {
  for (let e = error as { code?: unknown; message?: unknown; cause?: unknown } | undefined; e; ) {
    if (typeof e.code === 'string' && AWAY_CODES.test(e.code)) return true;
    if (typeof e.message === 'string' && AWAY_MESSAGES.test(e.message)) return true;
    e = e.cause as typeof e;
  }
  return false;
}

import { DatabaseError } from 'pg';

/**
 * SQLSTATEs and socket errors that mean that the database cannot serve now. It is unreachable, starting, stopping, or
 * out of space, memory or connections. It cancelled the statement, found a deadlock or a serialisation failure, or is a
 * read-only standby after a failover. Or it refuses the credentials, because only one side has the new password yet.
 */
const AWAY_CODES =
  /^(08...|25006|28000|28P01|40001|40P01|53[1-4]00|57014|57P0[1-5]|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/;
const AWAY_MESSAGES =
  /timeout exceeded when trying to connect|connection terminated|query read timeout|client has encountered a connection error|not queryable/i;

/** Whether an error means that the database cannot serve now. A refused statement is not such an error. */
export function isDatabaseAway(error: unknown): boolean {
  for (let e = error as { code?: unknown; message?: unknown; cause?: unknown } | undefined; e; ) {
    if (typeof e.code === 'string' && AWAY_CODES.test(e.code)) return true;
    if (typeof e.message === 'string' && AWAY_MESSAGES.test(e.message)) return true;
    e = e.cause as typeof e;
  }
  return false;
}

/** Whether a statement failed because it violates the named constraint. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof DatabaseError && error.constraint === constraint;

/** Whether a statement failed because a unique key exists already. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '23505';

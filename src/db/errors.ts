import { DatabaseError } from 'pg';
import { StartupError } from '../process/startup-error.ts';

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

/** Whether a statement, also one of the ORM, failed because it violates the named constraint. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof Error && (error as { constraint?: unknown }).constraint === constraint;

/** Whether a statement failed because a unique key exists already. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '23505';

const NOT_ALLOWED = '42501';

/** The error, or one line that names the setting, if PostgreSQL refuses to a role what only the owner of the tables may do. */
export const namingOwner = (error: { code?: unknown }, url: string): unknown =>
  error.code === NOT_ALLOWED
    ? new StartupError(
        `The role ${new URL(url).username} does not own Corridor's tables, so it may not change them. Set DATABASE_OWNER_URL to the URL of their owner: docs/operations.md#the-roles-of-the-database`,
        { cause: error },
      )
    : error;

import { tlsFault } from './tls.ts';

/** Undefined tables, columns and functions: the schema is missing or not up to date. */
const NOT_MIGRATED = ['42P01', '42703', '42883'];
/** PostgreSQL's codes need their message beside them. Network codes explain themselves. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

interface Failure {
  code?: string;
  message: string;
}

/**
 * Why the database at `url` could not run a statement, in one line and without the password. `setting`: the setting that names
 * the database, if one does.
 */
export function whyUnusable(failure: Failure, url: string, setting?: string): string {
  if (failure.code && NOT_MIGRATED.includes(failure.code))
    return 'The database is not up to date. Run "migrate" first.';
  const server = setting ? `PostgreSQL of ${setting}` : 'PostgreSQL';
  return `${server} at ${new URL(url).host} cannot be used (${causeOf(failure)}).`;
}

/** The cause of a server or network failure, in a few words. gRPC's codes are numbers, so its message says more. */
export function causeOf({ code, message }: { code?: string | number; message: string }): string {
  const fault = tlsFault({ code, message });
  if (fault) return fault;
  if (typeof code !== 'string') return message;
  return SQLSTATE.test(code) ? `${code}: ${message}` : code;
}

/** The error for a value that is not the address of a database. */
export const NO_DATABASE_URL = 'Give the database as postgres://user:password@host/name.';

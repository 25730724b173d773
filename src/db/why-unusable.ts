/** Undefined tables, columns and functions: a database of an older Corridor, or of something else. */
const NOT_OURS = ['42P01', '42703', '42883'];
/** PostgreSQL's codes, which nobody knows by heart; those of the network are words. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

interface Failure {
  code?: string;
  message: string;
}

/** Why a statement could not be carried out by the database at `url`, in one line and without its password. */
export function whyUnusable(failure: Failure, url: string): string {
  if (failure.code && NOT_OURS.includes(failure.code))
    return 'The database is not up to date. Run "migrate" first.';
  return `PostgreSQL at ${new URL(url).host} cannot be used (${causeOf(failure)}).`;
}

/** A failure of a server, or of the way to it, in few words. The codes of gRPC, which are numbers, say less than its messages. */
export function causeOf({ code, message }: { code?: string | number; message: string }): string {
  if (typeof code !== 'string') return message;
  return SQLSTATE.test(code) ? `${code}: ${message}` : code;
}

/** What is said of an address that is none. */
export const NO_DATABASE_URL = 'The database is to be given as postgres://user:password@host/name.';

/** Undefined tables, columns and functions: a database of an older Corridor, or of something else. */
const NOT_OURS = ['42P01', '42703', '42883'];

/** Why a statement could not be carried out by the database at `url`, in one line and without its password. */
export function whyUnusable({ code, message }: { code?: string; message: string }, url: string): string {
  if (code && NOT_OURS.includes(code)) return 'The database is not up to date. Run "migrate" first.';
  return `PostgreSQL at ${new URL(url).host} cannot be used (${code ?? message}).`;
}

/** What is said of an address that is none. */
export const NO_DATABASE_URL = 'The database is to be given as postgres://user:password@host/name.';

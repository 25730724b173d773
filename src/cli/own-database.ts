import type { Database } from '../db/orm.ts';
import { NO_DATABASE_URL, whyUnusable } from '../db/why-unusable.ts';
import { CliError } from './connection.ts';

/**
 * Does the work directly on the database, over one connection. Rejects with a CliError if the database cannot be used.
 * `queryTimeoutMs`: how long a statement may take; 0: any time, for one that reads everything.
 */
export async function withOwnDatabase<T>(
  url: string,
  work: (db: Database) => Promise<T>,
  queryTimeoutMs?: number,
): Promise<T> {
  if (!URL.canParse(url)) throw new CliError(NO_DATABASE_URL);
  // Loaded here, because it takes longer than everything that the other commands do.
  const { openDatabase } = await import('../db/orm.ts');
  const db = await openDatabase({
    ...{ url, poolSize: 1, debug: () => undefined },
    ...(queryTimeoutMs !== undefined && { queryTimeoutMs }),
  }).catch((error) => {
    throw new CliError(error.message, { cause: error });
  });
  try {
    return await work(db);
  } catch (error) {
    throw new CliError(whyUnusable(error as { code?: string; message: string }, url), { cause: error });
  } finally {
    await db.close();
  }
}

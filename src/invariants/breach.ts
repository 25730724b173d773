import type { Database } from '../db/orm.ts';

/** Something that must hold and does not. */
export interface Breach {
  /** The promise that is broken, in words. */
  what: string;
  /** What it is broken by: an order, an LP, a key. */
  where: string;
  expected: string;
  found: string;
}

/** Checks by the promise that they prove: SQL that gives "where", expected and found, as text, for each breach. */
export type Checks = Record<string, string>;

/** Reading all orders of a large installation takes its time; nothing waits for it. */
const CHECK_WITHIN_MS = 600_000;

/** Runs each check by itself. A statement of Corridor's is one transaction, so none is ever seen half done. */
export async function breachesOf(db: Database, checks: Checks): Promise<Breach[]> {
  const breaches: Breach[] = [];
  for (const [what, text] of Object.entries(checks)) {
    const query = { text, query_timeout: CHECK_WITHIN_MS };
    const { rows } = await db.pool.query<Omit<Breach, 'what'>>(query);
    for (const { where, expected, found } of rows) breaches.push({ what, where, expected, found });
  }
  return breaches;
}

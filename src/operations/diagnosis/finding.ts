import type { Database } from '../../db/orm.ts';

/** A violated check. Amounts are USD. */
export interface Finding {
  /** The name of the check: what must hold. */
  what: string;
  /** The place: an order, an account, a key. */
  where: string;
  expected: string;
  found: string;
  /** Where it is about one order's workflow. */
  orderId?: number;
}

export const findingText = ({ what, where, expected, found }: Finding): string =>
  `${what}: ${where}: expected ${expected}, found ${found}`;

/** Checks by what must hold: SQL that returns "where", expected and found, as text, for everything that it checks. */
export type Checks = Record<string, string>;

export interface CheckResult {
  what: string;
  /** How many orders, accounts, transfers … the check covered. A check that selects only violations counts those. */
  checked: number;
  findings: Finding[];
}

/** Reading a large installation takes long, and nothing waits for it. */
const CHECK_WITHIN_MS = 600_000;

/**
 * Runs the checks on a live database. They all read one snapshot, so no check sees half a statement. Changes nothing
 * and blocks nobody. `views`: CTEs that the checks may read; PostgreSQL computes only those that a check names.
 */
export async function runChecks(
  db: Database,
  checks: Checks,
  views = 'nothing as (select)',
): Promise<CheckResult[]> {
  const connection = await db.pool.connect();
  let broken = true;
  try {
    await connection.query('begin isolation level repeatable read, read only');
    const results: CheckResult[] = [];
    for (const [what, facts] of Object.entries(checks)) {
      // Closing the database waits for this connection, but must not wait for all checks.
      if (db.pool.ending) throw new Error('The database was closed during a check of its contents');
      const text = `with ${views}, fact as materialized (${facts})
        select (select count(*) from fact) as checked,
          coalesce((select json_agg(f order by "where") from fact f where expected is distinct from found), '[]') as findings`;
      const query = { text, query_timeout: CHECK_WITHIN_MS };
      const { rows } = await connection.query<Omit<CheckResult, 'what'>>(query);
      for (const { checked, findings } of rows)
        results.push({ what, checked, findings: findings.map((finding) => ({ ...finding, what })) });
    }
    await connection.query('commit');
    broken = false;
    return results;
  } finally {
    connection.release(broken);
  }
}

export const findingsOf = (results: CheckResult[]): Finding[] => results.flatMap(({ findings }) => findings);

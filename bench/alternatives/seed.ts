import { hashKey, newAgentKey, newLpKey } from '../../src/http/access/keys.ts';
import { createTables, openPool } from './schema.ts';

/** The keys of the agent and the LPs of a run. */
export interface Actors {
  agentKey: string;
  lps: { id: number; key: string }[];
}

/** Creates the tables, an agent and LPs. `collateralUsd` is the decimal amount of each LP. */
export async function seed(databaseUrl: string, lpCount: number, collateralUsd: string): Promise<Actors> {
  const pool = openPool(databaseUrl);
  try {
    await createTables(pool);
    const agentKey = newAgentKey();
    await pool.query('insert into bench_key (key_hash) values ($1)', [hashKey(agentKey)]);
    const lps: Actors['lps'] = [];
    while (lps.length < lpCount) {
      const key = newLpKey();
      const { rows } = await pool.query<{ lp_id: string }>(
        `with lp as (insert into bench_lp (available) values ($1) returning id)
         insert into bench_key (key_hash, lp_id) select $2, lp.id from lp returning lp_id`,
        [collateralUsd, hashKey(key)],
      );
      lps.push({ id: Number(rows[0]?.lp_id), key });
    }
    return { agentKey, lps };
  } finally {
    await pool.end();
  }
}

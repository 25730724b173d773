import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { LpCollateral } from '../entities/lp.ts';

/** Opens the empty collateral account of a new LP, in the transaction that registers the LP. */
export async function openAccount(em: SqlEntityManager, lpId: number): Promise<void> {
  await em.insert(LpCollateral, { lp_id: lpId });
}

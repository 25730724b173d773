import { normaliseTxHash } from '../../domain/assets.ts';
import type { CollateralDeposit } from '../entities/ledger.ts';
import type { Database } from '../orm.ts';

const ANNOUNCED = `
  select 1 from collateral_deposit
  where chain = $1 and lower(tx_hash) in ($2, '0x' || $2) and id < $3 and lp_id <> $4
  limit 1`;

/** Whether another LP announced the transaction of a deposit earlier. */
export async function announcedBefore(db: Database, deposit: CollateralDeposit): Promise<boolean> {
  const { id, lp_id, chain, tx_hash } = deposit;
  if (!tx_hash) return false;
  const values = [chain, normaliseTxHash(tx_hash), id, lp_id];
  return (await db.query('deposit-announced-before', ANNOUNCED, values)).length > 0;
}

import { Order } from '../entities/order.ts';
import type { Database } from '../orm.ts';

/** Any order by its id. */
export const findOrder = (db: Database, id: number): Promise<Order | null> => db.em().findOne(Order, { id });

/** An agent's own order: anybody else's is not there. */
export const findAgentOrder = (db: Database, id: number, agentKeyId: number): Promise<Order | null> =>
  db.em().findOne(Order, { id, agent_key_id: agentKeyId });

/** What an LP needs to claim an order, besides the order. */
export interface ClaimMeans {
  /** USD, decimal string. */
  available: string;
  /** Where it takes the order's token; null: nowhere. */
  address: string | null;
}

const CLAIM_MEANS = `
  select collateral.available, asset.address
  from lp_collateral collateral
  left join lp_asset asset on asset.lp_id = collateral.lp_id and asset.symbol = $2 and asset.chain = $3
  where collateral.lp_id = $1`;

export async function claimMeans(db: Database, lpId: number, order: Order): Promise<ClaimMeans> {
  const values = [lpId, order.crypto_symbol, order.crypto_chain];
  const rows = await db.query<ClaimMeans>('claim-means', CLAIM_MEANS, values);
  if (!rows[0]) throw new Error(`LP ${lpId} has no collateral account`);
  return rows[0];
}

import { Order } from '../entities/order.ts';
import type { Database } from '../orm.ts';
import { strikesOf } from './cool-down.ts';

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
  /** Until when it may not claim; null: it may. */
  cooling_until: string | null;
}

const CLAIM_MEANS = `
  select collateral.available, asset.address,
    case when struck.cooling_until > now() then struck.cooling_until end as cooling_until
  from lp_collateral collateral
  cross join lateral (${strikesOf('collateral.lp_id', '$4')}) struck
  left join lp_asset asset on asset.lp_id = collateral.lp_id and asset.symbol = $2 and asset.chain = $3
  where collateral.lp_id = $1`;

/** `coolDownMs`: the first cool-down after a strike. */
export async function claimMeans(
  db: Database,
  lpId: number,
  order: Order,
  coolDownMs: number,
): Promise<ClaimMeans> {
  const values = [lpId, order.crypto_symbol, order.crypto_chain, coolDownMs];
  const rows = await db.query<ClaimMeans>('claim-means', CLAIM_MEANS, values);
  if (!rows[0]) throw new Error(`LP ${lpId} has no collateral account`);
  return rows[0];
}

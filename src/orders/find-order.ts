import { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { pausesOf } from '../db/pauses.ts';
import { strikesOf } from '../market/lps/cool-down.ts';

/** Finds any order by its id. */
export const findOrder = (db: Database, id: number): Promise<Order | null> => db.em().findOne(Order, { id });

/** Finds an order of this agent. Returns null for another agent's order. */
export const findAgentOrder = (db: Database, id: number, agentKeyId: number): Promise<Order | null> =>
  db.em().findOne(Order, { id, agent_key_id: agentKeyId });

/** An LP that wants to claim an order: the facts about it that the claim depends on. */
export interface Claimant {
  /** USD, decimal string. */
  available: string;
  /** The LP's address for the order's token. Null: it has none. */
  address: string | null;
  destination_tag: number | null;
  /** The end of the LP's cool-down. Null: the LP is not cooling down. */
  cooling_until: string | null;
  /** The LP's terms for the order's corridor; null: it has none. Amounts are decimal strings. */
  terms: { min: string; max: string | null; float: string | null } | null;
  /** Why claims of the order are paused. Null: no pause and no open incident covers the order. */
  paused: string | null;
}

const CLAIMANT = `
  select collateral.available, asset.address, asset.destination_tag,
    (
      select json_build_object('min', min_fiat::text, 'max', max_fiat::text, 'float', float_available::text)
      from lp_term where lp_id = collateral.lp_id and currency = $6 and method = $7
    ) as terms,
    case when struck.cooling_until > now() then struck.cooling_until end as cooling_until,
    (${pausesOf({ agent: '$5', currency: '$6', method: '$7', chain: '$3' })} limit 1) as paused
  from lp_collateral collateral
  cross join lateral (${strikesOf('collateral.lp_id', '$4')}) struck
  left join receiving_asset asset on asset.lp_id = collateral.lp_id and asset.symbol = $2 and asset.chain = $3
  where collateral.lp_id = $1`;

/** Loads the facts about an LP that its claim of the order depends on. `coolDownMs`: the first cool-down after a strike. */
export async function loadClaimant(
  db: Database,
  lpId: number,
  order: Order,
  coolDownMs: number,
): Promise<Claimant> {
  const values = [
    lpId,
    order.crypto_symbol,
    order.crypto_chain,
    coolDownMs,
    order.agent_key_id,
    order.currency,
    order.corridor_method,
  ];
  const rows = await db.query<Claimant>('claimant', CLAIMANT, values);
  if (!rows[0]) throw new Error(`LP ${lpId} has no collateral account`);
  return rows[0];
}

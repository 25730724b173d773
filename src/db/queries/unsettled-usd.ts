import { UNSETTLED_STATUSES } from '../../domain/order-state.ts';
import { oneOf } from '../entities/columns.ts';
import type { Database } from '../orm.ts';

/** Spelled as the predicate of the index `orders_unsettled`, so that the planner uses it. */
const UNSETTLED_USD = `
  select coalesce(sum(amount_usd), 0)::text as usd from orders
  where agent_key_id = $1 and ${oneOf('status', UNSETTLED_STATUSES)}`;

/** What an agent's orders are worth that LPs have claimed and it has not settled yet; decimal string. */
export async function unsettledUsd(db: Database, agentKeyId: number): Promise<string> {
  const rows = await db.query<{ usd: string }>('unsettled-usd', UNSETTLED_USD, [agentKeyId]);
  return rows[0]?.usd ?? '0';
}

import { Lp } from '../db/entities/lp.ts';
import type { Order } from '../db/entities/order.ts';
import { findAgentByKey } from '../db/queries/agent-keys.ts';
import { hashKey, sameSecret } from '../keys.ts';
import type { ApiDeps } from './deps.ts';

/** Whether a bearer belongs to the order's agent, its LP or an admin. */
export async function isPartyOf(
  { db, settings }: Pick<ApiDeps, 'db' | 'settings'>,
  order: Order,
  token: string,
): Promise<boolean> {
  if (sameSecret(token, settings.adminApiKey)) return true;
  const agent = await findAgentByKey(db, token);
  if (agent) return agent.id === order.agent_key_id;
  // The LP quoted is none of its parties: only a claim gives the order an address to pay to.
  if (!order.lp_receive_address || !order.lp_id) return false;
  return (await db.em().count(Lp, { id: order.lp_id, key_hash: hashKey(token) })) > 0;
}

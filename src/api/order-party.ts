import { AgentKey } from '../db/entities/agent-key.ts';
import { Lp } from '../db/entities/lp.ts';
import type { Order } from '../db/entities/order.ts';
import { hashKey, sameSecret } from '../keys.ts';
import type { ApiDeps } from './deps.ts';

/** Whether a bearer belongs to the order's agent, its LP or an admin. */
export async function isPartyOf(
  { db, settings }: Pick<ApiDeps, 'db' | 'settings'>,
  order: Order,
  token: string,
): Promise<boolean> {
  if (sameSecret(token, settings.adminApiKey)) return true;
  const key_hash = hashKey(token);
  const agent = await db.em().findOne(AgentKey, { id: order.agent_key_id, key_hash, is_active: true });
  if (agent) return true;
  const isOwner = order.status !== 'matched' && order.lp_id !== null && order.lp_id !== undefined;
  return isOwner && (await db.em().count(Lp, { id: order.lp_id as number, key_hash })) > 0;
}

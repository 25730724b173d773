import { sql } from '@mikro-orm/core';
import { hashKey } from '../../keys.ts';
import { AgentKey } from '../entities/agent-key.ts';
import type { Database } from '../orm.ts';

/** The active agent key with this secret: its own, or the one that a rotation replaced a short while ago. */
export function findAgentByKey(db: Database, secret: string): Promise<AgentKey | null> {
  const hash = hashKey(secret);
  // The database's clock sets the end of an overlap, and so it must be the one that is asked.
  const overlapping = { previous_key_hash: hash, previous_expires_at: { $gt: sql.now() } };
  return db.em().findOne(AgentKey, { is_active: true, $or: [{ key_hash: hash }, overlapping] });
}

import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AgentKey } from './agent-key.ts';
import { createdAt, id, indexesOf, references } from './columns.ts';

/** A scope in which an admin has stopped new payments and claims; see `src/db/pauses.ts`. */
export const Pause = defineEntity({
  name: 'Pause',
  tableName: 'pause',
  indexes: indexesOf(
    `create unique index "pause_scope" on "pause" (coalesce(currency, ''), coalesce(agent_key_id, 0))`,
  ),
  properties: {
    id: id(),
    /** Null: every currency. */
    currency: p.string().length(3).nullable(),
    /** Null: every agent. */
    agent_key_id: () => references(AgentKey, 'agent_key_id').nullable(),
    reason: p.string().length(300),
    created_at: createdAt(),
  },
});
export type Pause = InferEntity<typeof Pause>;

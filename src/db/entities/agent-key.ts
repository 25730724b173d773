import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, instant, keyHash } from './columns.ts';

/** An integrator's API key. Orders belong to the key that created them. */
export const AgentKey = defineEntity({
  name: 'AgentKey',
  tableName: 'agent_key',
  checks: [{ name: 'agent_key_rate_limit_positive', expression: 'rate_limit > 0' }],
  properties: {
    id: id(),
    name: p.string().length(200).nullable(),
    integrator_name: p.string().length(200).nullable(),
    key_hash: keyHash(),
    /** Requests per minute; null: no limit of its own. */
    rate_limit: p.integer().nullable(),
    is_active: p.boolean().default(true),
    created_at: createdAt(),
    last_used_at: instant().nullable(),
  },
});
export type AgentKey = InferEntity<typeof AgentKey>;

import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, instant, keyHash, usd } from './columns.ts';

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
    /** The secret that a rotation replaced, accepted until `previous_expires_at`. */
    previous_key_hash: keyHash().nullable(),
    previous_expires_at: instant().nullable(),
    /** One that was valid before that, accepted until `older_expires_at`. */
    older_key_hash: keyHash().nullable(),
    older_expires_at: instant().nullable(),
    /** Requests per minute; null: no limit of its own. */
    rate_limit: p.integer().nullable(),
    /** USD of unsettled orders above which no payment is taken; null: no limit. */
    max_exposure_usd: usd().nullable(),
    is_active: p.boolean().default(true),
    created_at: createdAt(),
    last_used_at: instant().nullable(),
  },
});
export type AgentKey = InferEntity<typeof AgentKey>;

import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { AgentScope } from '../../domain/agent-scopes.ts';
import { createdAt, id, indexesOf, instant, keyHash, usd } from './columns.ts';

/** An integrator's API key. Orders belong to the key that created them. */
export const AgentKey = defineEntity({
  name: 'AgentKey',
  tableName: 'agent_key',
  checks: [
    { name: 'agent_key_rate_limit_positive', expression: 'rate_limit > 0' },
    { name: 'agent_key_max_exposure_not_negative', expression: 'max_exposure_usd >= 0' },
  ],
  indexes: indexesOf(
    `create index "agent_key_name" on "agent_key" ((lower(name) collate "C"), "id")`,
    `create index "agent_key_integrator_name" on "agent_key" ((lower(integrator_name) collate "C"), "id")`,
  ),
  properties: {
    id: id(),
    name: p.string().length(200).nullable(),
    integrator_name: p.string().length(200).nullable(),
    key_hash: keyHash(),
    /** The secret that a rotation replaced, accepted until `previous_expires_at`. */
    previous_key_hash: keyHash().nullable(),
    previous_expires_at: instant().nullable(),
    /** An even older secret, accepted until `older_expires_at`. */
    older_key_hash: keyHash().nullable(),
    older_expires_at: instant().nullable(),
    /** Requests per minute; null: `AGENT_RATE_LIMIT`. */
    rate_limit: p.integer().nullable(),
    /** USD of unsettled orders above which Corridor refuses payments and claims; 0: no limit. */
    max_exposure_usd: usd(),
    is_active: p.boolean().default(true),
    /** What the key may do; null: everything that agents may. */
    scopes: p.array().columnType('varchar(16)[]').$type<AgentScope[]>().nullable(),
    /** From then on the key is refused; null: it does not expire. */
    expires_at: instant().nullable(),
    /** The addresses and networks from which the key is accepted; null: from everywhere. */
    allowed_ips: p.array().columnType('cidr[]').nullable(),
    created_at: createdAt(),
    last_used_at: instant().nullable(),
    last_used_address: p.string().length(64).nullable(),
  },
});
export type AgentKey = InferEntity<typeof AgentKey>;

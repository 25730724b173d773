import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { RECIPIENT_CHECK_RESULTS, type RecipientCheckResult } from '../../domain/recipient-check.ts';
import { AgentKey } from './agent-key.ts';
import { createdAt, instant, oneOf, references } from './columns.ts';

/** The result of an agent's check of an account holder. Corridor never stores the holder's full name. */
export const RecipientCheck = defineEntity({
  name: 'RecipientCheck',
  tableName: 'recipient_check',
  checks: [
    { name: 'recipient_check_result_check', expression: oneOf('result', RECIPIENT_CHECK_RESULTS) },
    {
      name: 'recipient_check_matched_name',
      expression: "name_masked is not null or result in ('not_matched', 'unsupported', 'unavailable')",
    },
  ],
  indexes: [{ name: 'recipient_check_expires', properties: ['expires_at'] }],
  properties: {
    id: p.string().length(64).primary(),
    agent_key_id: () => references(AgentKey, 'agent_key_id'),
    currency: p.string().length(3),
    method: p.string().length(32),
    /** SHA-256 of the id, the corridor and the recipient. */
    recipient_hash: p.blob().$type<Buffer>(),
    /** SHA-256 of the id and the words of the expected name; null: the agent named none. */
    name_hash: p.blob().$type<Buffer>().nullable(),
    result: p.string().length(16).$type<RecipientCheckResult>(),
    name_masked: p.string().length(64).nullable(),
    expires_at: instant(),
    created_at: createdAt(),
  },
});
export type RecipientCheck = InferEntity<typeof RecipientCheck>;

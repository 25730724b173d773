import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AgentKey } from './agent-key.ts';
import { instant, references } from './columns.ts';

/** The agent's own webhook secret. A table of its own: every request reads all columns of `agent_key`. */
export const AgentWebhookSecret = defineEntity({
  name: 'AgentWebhookSecret',
  tableName: 'agent_webhook_secret',
  properties: {
    agent_key_id: () => references(AgentKey, 'agent_key_id').primary(),
    /** Encrypted: see `src/notify/webhooks/agent-secret.ts`. */
    secret: p.blob().$type<Buffer>(),
    /** The previous secret. It also signs until `previous_expires_at`. */
    previous_secret: p.blob().$type<Buffer>().nullable(),
    previous_expires_at: instant().nullable(),
    /** When a person last set the secret. */
    set_at: instant().defaultRaw('now()'),
  },
});
export type AgentWebhookSecret = InferEntity<typeof AgentWebhookSecret>;

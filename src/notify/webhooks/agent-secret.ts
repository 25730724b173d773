import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { AgentKey } from '../../db/entities/agent-key.ts';
import { AgentWebhookSecret } from '../../db/entities/agent-webhook-secret.ts';
import type { Database } from '../../db/orm.ts';
import { DomainError } from '../../domain/errors.ts';
import { newWebhookSecret, openSecret, resealed, type SecretOwner, sealSecret } from './sealed-secret.ts';

/**
 * The secrets of the service that encrypt the agents' secrets. They are those of the commands, and not of the webhooks:
 * integrators know `WEBHOOK_SECRET`, and one with a copy of the database could read the secrets of the others.
 */
export interface SealingSecrets {
  commandSecret: string;
  /** Opens what was sealed before or after a rotation. */
  secondCommandSecret?: string | undefined;
}

/** An agent's secrets as stored. `previous`: of an overlap that has not ended. */
export interface SealedAgentSecrets {
  agentKeyId: number;
  secret: Buffer | null;
  previous: Buffer | null;
}

const ownerOf = (agentKeyId: number): SecretOwner => ({ kind: 'agent', id: agentKeyId });

/** Gives a new agent key its webhook secret, in the transaction that inserts the key. Returns the secret. */
export async function insertAgentWebhookSecret(
  em: SqlEntityManager,
  agentKeyId: number,
  { commandSecret }: SealingSecrets,
): Promise<string> {
  const secret = newWebhookSecret();
  const sealed = sealSecret(secret, ownerOf(agentKeyId), commandSecret);
  await em.insert(AgentWebhookSecret, { agent_key_id: agentKeyId, secret: sealed });
  return secret;
}

const ROTATE = `
  update agent_webhook_secret known
  set secret = $2, set_at = now(),
    previous_secret = case when $3::bigint > 0 then known.secret end,
    previous_expires_at = date_trunc('milliseconds', now()) + $3::bigint * interval '1 millisecond'
  from agent_key
  where agent_key.id = known.agent_key_id and agent_key.id = $1 and agent_key.is_active
  returning known.previous_expires_at`;

/**
 * Replaces the webhook secret of an active agent key. The old secret also signs for `overlapMs`. Returns the new secret and
 * the end of the old one, ISO 8601. Throws `not_found` or `agent_key_inactive`.
 */
export async function rotateAgentWebhookSecret(
  db: Database,
  id: number,
  overlapMs: number,
  { commandSecret }: SealingSecrets,
): Promise<{ secret: string; oldEndsAt: string }> {
  const secret = newWebhookSecret();
  const sealed = sealSecret(secret, ownerOf(id), commandSecret);
  const values = [id, sealed, overlapMs];
  const [row] = await db.query<{ previous_expires_at: string }>(
    'agent-webhook-secret-rotate',
    ROTATE,
    values,
  );
  if (row) return { secret, oldEndsAt: new Date(row.previous_expires_at).toISOString() };
  const exists = await db.em().count(AgentKey, { id });
  throw new DomainError(exists ? 'agent_key_inactive' : 'not_found');
}

/**
 * The agent's plain secrets, the present one first. Without the present one if it was sealed with another `COMMAND_SECRET`:
 * the operator replaced that without a rotation.
 */
export function openAgentSecrets(
  { agentKeyId, secret, previous }: SealedAgentSecrets,
  sealing: SealingSecrets,
): string[] {
  const { commandSecret, secondCommandSecret } = sealing;
  const open = (sealed: Buffer) =>
    openSecret(sealed, ownerOf(agentKeyId), commandSecret, secondCommandSecret) ?? [];
  return [secret, previous].flatMap((sealed) => (sealed === null ? [] : open(sealed)));
}

const ALL =
  'select agent_key_id as "agentKeyId", secret, previous_secret as previous from agent_webhook_secret';
const RESEAL = `
  update agent_webhook_secret set secret = $3, previous_secret = $4 where agent_key_id = $1 and secret = $2`;

/** During a rotation of `COMMAND_SECRET`: encrypts under the first secret what only the second one opens. */
export async function resealAgentSecrets(
  db: Database,
  { commandSecret, secondCommandSecret }: SealingSecrets,
): Promise<void> {
  if (secondCommandSecret === undefined) return;
  const rows = await db.query<SealedAgentSecrets & { secret: Buffer } & Record<string, unknown>>(
    'agent-webhook-secrets',
    ALL,
    [],
  );
  for (const { agentKeyId, secret, previous } of rows) {
    const fresh = resealed({ secret, previous }, ownerOf(agentKeyId), commandSecret, secondCommandSecret);
    if (fresh)
      await db.query('agent-webhook-secret-reseal', RESEAL, [
        agentKeyId,
        secret,
        fresh.secret,
        fresh.previous,
      ]);
  }
}

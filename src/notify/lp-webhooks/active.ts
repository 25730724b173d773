import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import type { LpWebhookEvent } from '../../domain/lp-webhook.ts';
import { openSecret, type SecretOwner } from '../webhooks/sealed-secret.ts';
import { dropWaiting } from './drop-waiting.ts';

/** An LP's webhooks that are on. */
export interface ActiveWebhook {
  lpId: number;
  url: string;
  events: LpWebhookEvent[];
  /** Where the LP's part of the feed begins: see `LpWebhook`. */
  since: string;
  secret: string;
  /** The previous secret, which still signs during the overlap. */
  previous: string | undefined;
}

export interface ServiceSecrets {
  webhookSecret: string;
  secondWebhookSecret?: string | undefined;
}

interface Row {
  lp_id: number;
  url: string;
  events: LpWebhookEvent[];
  since: string;
  secret: Buffer;
  previous: Buffer | null;
}

/** Starts from the approved LPs, by their index, because anybody can register LPs with webhooks. */
const ACTIVE = `
  select hook.lp_id, hook.url, hook.events, hook.since::text, hook.secret,
    case when hook.previous_expires_at > now() then hook.previous_secret end as previous
  from lp join lp_webhook hook on hook.lp_id = lp.id
  where lp.approved_at is not null and hook.stopped_at is null`;

const UNREADABLE = `
  with hook as (
    update lp_webhook set stopped_at = now(),
      last_error = 'The service can no longer read the secret. Set the URL again to get another one.'
    where lp_id = $1 and secret = $2
    returning lp_id
  ), ${dropWaiting('select lp_id from hook')}
  select from hook`;

/**
 * Returns the webhooks that are on, of LPs that were ever approved. Other LPs get only warnings. It stops webhooks whose secret it
 * cannot read, because the operator replaced the service's secret without a rotation.
 */
export async function activeWebhooks(
  db: Database,
  { webhookSecret, secondWebhookSecret }: ServiceSecrets,
  log: Logger,
): Promise<ActiveWebhook[]> {
  const rows = await db.query<Row>('lp-webhooks-active', ACTIVE, []);
  const active: ActiveWebhook[] = [];
  for (const { lp_id: lpId, url, events, since, secret: sealed, previous: sealedBefore } of rows) {
    const owner: SecretOwner = { kind: 'lp', id: lpId };
    const open = (text: Buffer) => openSecret(text, owner, webhookSecret, secondWebhookSecret);
    const secret = open(sealed);
    const previous = sealedBefore === null ? undefined : open(sealedBefore);
    if (secret === undefined) {
      await db.query('lp-webhook-unreadable', UNREADABLE, [lpId, sealed]);
      log.error(
        { lpId },
        'stopped the webhooks of an LP: their secret was encrypted under another WEBHOOK_SECRET',
      );
      continue;
    }
    active.push({ lpId, url, events, since, secret, previous });
  }
  return active;
}

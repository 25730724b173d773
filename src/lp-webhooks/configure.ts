import { LpWebhook } from '../db/entities/lp-webhook.ts';
import { WebhookDelivery } from '../db/entities/order-log.ts';
import type { Database } from '../db/orm.ts';
import type { LpWebhookEvent } from '../domain/lp-webhook.ts';
import { newWebhookSecret, sealSecret } from '../webhooks/sealed-secret.ts';

/** The settings that an LP chooses. */
export interface LpWebhookSettings {
  url: string;
  events: LpWebhookEvent[];
  /** For this many milliseconds, the previous secret also signs. */
  overlap: number;
}

/** `off`: no URL. `stopped`: the receiver failed for too long. */
export interface LpWebhookState {
  state: 'on' | 'off' | 'stopped';
  config: LpWebhook | null;
  /** Webhooks that wait for their delivery. */
  waiting: number;
}

/**
 * The LP's part of the feed continues at its position. After a stop it begins at the end of the feed, as if the
 * webhooks had been off.
 */
const SET = `
  insert into lp_webhook as known (lp_id, url, events, secret, since) values ($1, $2, $3, $4, feed_horizon())
  on conflict (lp_id) do update set url = excluded.url, events = excluded.events, secret = excluded.secret,
    previous_secret = case when $5::bigint > 0 then known.secret end,
    previous_expires_at = case when $5::bigint > 0 then now() + $5::bigint * interval '1 millisecond' end,
    since = case when known.stopped_at is null then known.since else excluded.since end,
    failing_since = null, last_error = null, stopped_at = null`;

/** Turns the LP's webhooks on, or changes them. Returns the new secret, which Corridor shows only this once. */
export async function setLpWebhook(
  db: Database,
  lpId: number,
  { url, events, overlap }: LpWebhookSettings,
  serviceSecret: string,
): Promise<string> {
  const secret = newWebhookSecret();
  const sealed = sealSecret(secret, { kind: 'lp', id: lpId }, serviceSecret);
  await db.query('lp-webhook-set', SET, [lpId, url, [...new Set(events)], sealed, overlap]);
  return secret;
}

const REMOVE = `
  with hook as (delete from lp_webhook where lp_id = $1),
  dropped as (delete from webhook_delivery where lp_id = $1 and state = 'pending' returning id)
  delete from webhook_attempt using dropped where delivery_id = dropped.id`;

/** Turns the LP's webhooks off and drops those that wait. */
export const removeLpWebhook = async (db: Database, lpId: number): Promise<void> =>
  void (await db.query('lp-webhook-remove', REMOVE, [lpId]));

export async function readLpWebhook(db: Database, lpId: number): Promise<LpWebhookState> {
  const em = db.em();
  const [config, waiting] = await Promise.all([
    em.findOne(LpWebhook, { lp_id: lpId }),
    em.count(WebhookDelivery, { lp_id: lpId, state: 'pending' }),
  ]);
  const state = !config ? 'off' : config.stopped_at ? 'stopped' : 'on';
  return { state, config, waiting };
}

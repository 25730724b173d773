import { LpWebhook } from '../../db/entities/lp-webhook.ts';
import { WebhookDelivery } from '../../db/entities/order-log.ts';
import type { Database } from '../../db/orm.ts';
import type { LpWebhookEvent } from '../../domain/lp-webhook.ts';
import { warningBody } from '../../market/lps/warn-lp.ts';
import { newWebhookSecret, sealSecret } from '../webhooks/sealed-secret.ts';
import { dropWaiting } from './drop-waiting.ts';

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
  /** Webhooks that wait for their delivery, without warnings. */
  waiting: number;
}

/** A former webhook receives warnings for at least a day. */
const KEEP_MS = 86_400_000;

/**
 * Keeps a webhook that is replaced or removed (`replaced`), for `$2` milliseconds, and announces the change to it: a thief of the
 * LP's key could turn the webhooks off. `$3`: the host of the new URL, `$4`: the new events; null: webhooks are off. Changes are
 * not announced to webhooks that five others outlast, so many changes do not make many deliveries (`warned_webhook`).
 */
const KEEP = `
  kept as (
    insert into former_lp_webhook (lp_id, url, events, secret, began_at, kept_until)
    select lp_id, url, events, secret, set_at, now() + $2::bigint * interval '1 millisecond' from replaced
    returning id
  ),
  announced as (
    insert into webhook_delivery (lp_id, lp_event, url, body)
    select lp_id, 'lp.webhook_changed', url,
      ${warningBody('lp.webhook_changed', `json_build_object('host', $3::varchar, 'events', $4::varchar[])`)}
    from replaced
    where 'lp.webhook_changed' = any(events) and (
      select count(*) from former_lp_webhook former
      where former.lp_id = $1 and former.kept_until > now() and former.ended_at - former.began_at >= now() - replaced.set_at
    ) < 5
  )`;

/**
 * The LP's part of the feed continues at its position. After a stop it begins at the end of the feed, as if the
 * webhooks had been off. `first`: the previous webhook is kept before it is overwritten.
 */
const SET = `
  with replaced as (select * from lp_webhook where lp_id = $1 for update),
  ${KEEP}
  insert into lp_webhook as known (lp_id, url, events, secret, since)
  select $1::bigint, $5::varchar, $4::varchar[], $6::bytea, feed_horizon() from (select count(*) from kept) first
  on conflict (lp_id) do update set url = excluded.url, events = excluded.events, secret = excluded.secret,
    previous_secret = case when $7::bigint > 0 then known.secret end,
    previous_expires_at = case when $7::bigint > 0 then now() + $7::bigint * interval '1 millisecond' end,
    since = case when known.stopped_at is null then known.since else excluded.since end,
    failing_since = null, last_error = null, stopped_at = null, set_at = now()`;

/**
 * Turns the LP's webhooks on, or changes them. The previous webhook receives warnings of a stolen key for a day, or for `holdMs`
 * if that is longer: changed addresses take effect then. Returns the new secret, which Corridor shows only this once.
 */
export async function setLpWebhook(
  db: Database,
  lpId: number,
  { url, events, overlap }: LpWebhookSettings,
  { serviceSecret, holdMs }: { serviceSecret: string; holdMs: number },
): Promise<string> {
  const secret = newWebhookSecret();
  const sealed = sealSecret(secret, { kind: 'lp', id: lpId }, serviceSecret);
  const keepMs = Math.max(KEEP_MS, holdMs, overlap);
  const values = [lpId, keepMs, new URL(url).host, [...new Set(events)], url, sealed, overlap];
  await db.query('lp-webhook-set', SET, values);
  return secret;
}

const REMOVE = `
  with replaced as (delete from lp_webhook where lp_id = $1 returning *),
  ${KEEP},
  ${dropWaiting('$1')}
  select from replaced`;

/** Turns the LP's webhooks off and drops those that wait, except warnings. `holdMs`: as in `setLpWebhook`. */
export const removeLpWebhook = async (db: Database, lpId: number, holdMs: number): Promise<void> =>
  void (await db.query('lp-webhook-remove', REMOVE, [lpId, Math.max(KEEP_MS, holdMs), null, null]));

export async function readLpWebhook(db: Database, lpId: number): Promise<LpWebhookState> {
  const em = db.em();
  const [config, waiting] = await Promise.all([
    em.findOne(LpWebhook, { lp_id: lpId }),
    em.count(WebhookDelivery, { lp_id: lpId, state: 'pending', url: null }),
  ]);
  const state = !config ? 'off' : config.stopped_at ? 'stopped' : 'on';
  return { state, config, waiting };
}

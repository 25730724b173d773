import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { LpWebhookEvent } from '../../domain/lp-webhook.ts';
import { createdAt, instant, references } from './columns.ts';
import { Lp } from './lp.ts';

/** Where an LP receives webhooks. No row: they are off. */
export const LpWebhook = defineEntity({
  name: 'LpWebhook',
  tableName: 'lp_webhook',
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    url: p.string().length(2048),
    events: p.array().columnType('varchar(32)[]').$type<LpWebhookEvent[]>(),
    /** Encrypted: see `src/notify/webhooks/sealed-secret.ts`. */
    secret: p.blob().$type<Buffer>(),
    /** The previous secret. It also signs until `previous_expires_at`. */
    previous_secret: p.blob().$type<Buffer>().nullable(),
    previous_expires_at: instant().nullable(),
    /** The end of the feed when the LP turned its webhooks on. It gets no older events. */
    since: p.string().columnType('xid8'),
    /** When the first webhook failed since the receiver last accepted one. */
    failing_since: instant().nullable(),
    last_error: p.string().length(500).nullable(),
    last_delivered_at: instant().nullable(),
    /** Corridor has given up on the receiver. */
    stopped_at: instant().nullable(),
    /** When the LP set the present URL, events and secret. */
    set_at: createdAt(),
    created_at: createdAt(),
  },
});

/** A webhook that an LP has replaced or removed. Until `kept_until` it still receives warnings of a stolen key. */
export const FormerLpWebhook = defineEntity({
  name: 'FormerLpWebhook',
  tableName: 'former_lp_webhook',
  indexes: [{ name: 'former_lp_webhook_lp_id', properties: ['lp_id'] }],
  properties: {
    id: p.bigint('number').autoincrement().primary(),
    lp_id: () => references(Lp, 'lp_id'),
    url: p.string().length(2048),
    events: p.array().columnType('varchar(32)[]').$type<LpWebhookEvent[]>(),
    /** Encrypted, as in `LpWebhook`. */
    secret: p.blob().$type<Buffer>(),
    began_at: instant(),
    ended_at: createdAt(),
    kept_until: instant(),
  },
});
export type LpWebhook = InferEntity<typeof LpWebhook>;

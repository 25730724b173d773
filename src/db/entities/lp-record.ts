import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, indexesOf, instant, references } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';

/** An admin's decision that an LP's strikes no longer count. */
export const LpForgiveness = defineEntity({
  name: 'LpForgiveness',
  tableName: 'lp_forgiveness',
  properties: {
    id: id(),
    lp_id: () => references(Lp, 'lp_id'),
    reason: p.string().length(500),
    created_at: createdAt(),
  },
});

/** An address that an admin has taken from an LP, which cannot register it again for 30 days. */
export const AddressRelease = defineEntity({
  name: 'AddressRelease',
  tableName: 'address_release',
  indexes: [{ name: 'address_release_address', properties: ['lp_id', 'chain', 'receive_key'] }],
  properties: {
    id: id(),
    lp_id: () => references(Lp, 'lp_id'),
    chain: p.string().length(16),
    receive_key: p.string().length(160),
    /** The tokens that the LP took there. */
    symbols: p.array().columnType('varchar(16)[]'),
    reason: p.string().length(500),
    created_at: createdAt(),
  },
});

/** A failed claim that counts against the LP. The step that ends the claim writes it; it has the key of that event. */
export const LpStrike = defineEntity({
  name: 'LpStrike',
  tableName: 'lp_strike',
  indexes: indexesOf(
    `create index "lp_strike_of_lp" on "lp_strike" ("lp_id", "created_at") where forgiveness_id is null`,
    `create index "lp_strike_recent" on "lp_strike" ("created_at") where forgiveness_id is null`,
  ),
  properties: {
    order_id: () => references(Order, 'order_id').primary(),
    seq: p.integer().primary(),
    lp_id: () => references(Lp, 'lp_id'),
    forgiveness_id: () => references(LpForgiveness, 'forgiveness_id').nullable(),
    created_at: createdAt(),
  },
});

/** A release that cost the LP no strike. The step that carries it out writes it; it has the key of that event. */
export const FreeRelease = defineEntity({
  name: 'FreeRelease',
  tableName: 'free_release',
  indexes: [{ name: 'free_release_of_lp', properties: ['lp_id', 'created_at'] }],
  properties: {
    order_id: () => references(Order, 'order_id').primary(),
    seq: p.integer().primary(),
    lp_id: () => references(Lp, 'lp_id'),
    created_at: createdAt(),
  },
});

/** An LP's track record, computed from the order events: see `src/market/lps/refresh-statistics.ts`. */
export const LpStatistics = defineEntity({
  name: 'LpStatistics',
  tableName: 'lp_statistics',
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    /** Since the LP registered. */
    orders_completed: p.integer(),
    /** The last outcomes, newest first; true: completed, false: failed claim. */
    recent_outcomes: p.array().columnType('boolean[]'),
    recent_completed: p.integer(),
    recent_failed_claims: p.integer(),
    /**
     * The last orders that the LP claimed (true) or that were quoted from it and expired unclaimed (false), newest
     * first.
     */
    recent_quotes: p.array().columnType('boolean[]'),
    recent_unclaimed: p.integer(),
    /** Until then the LP ranks behind all others, because it left most of its last quotes. */
    ranks_last_until: instant().nullable(),
    /** Seconds from the claim to the fiat for the last completed orders, newest first. */
    recent_fiat_seconds: p.array().columnType('int[]'),
    median_fiat_seconds: p.integer().nullable(),
    updated_at: createdAt(),
  },
});

/** How far a reader with stored results has read the feed of order events. */
export const FeedCursor = defineEntity({
  name: 'FeedCursor',
  tableName: 'feed_cursor',
  properties: {
    reader: p.string().length(32).primary(),
    xid: p.string().columnType('xid8'),
    order_id: p.bigint('number'),
    seq: p.integer(),
  },
});

import { defineEntity, type InferEntity, type Opt, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { TIER_MULTIPLIERS } from '../../domain/collateral.ts';
import { LP_STATUSES, type LpStatus } from '../../domain/lp-status.ts';
import { SCALE } from '../../domain/money.ts';
import { createdAt, fiat, id, indexesOf, instant, keyHash, oneOf, references, usd } from './columns.ts';
import { User } from './user.ts';

/** A liquidity provider. */
export const Lp = defineEntity({
  name: 'Lp',
  tableName: 'lp',
  checks: [
    { name: 'lp_status_check', expression: oneOf('status', LP_STATUSES) },
    { name: 'lp_tier_check', expression: `tier >= 0 and tier < ${TIER_MULTIPLIERS.length}` },
    { name: 'lp_spread_bps_check', expression: 'spread_bps >= 0 and spread_bps <= 10000' },
  ],
  indexes: indexesOf(
    `create index "lp_ever_approved" on "lp" ("id") where "approved_at" is not null`,
    `create index "lp_display_name" on "lp" ((lower(display_name) collate "C"), "id")`,
  ),
  properties: {
    id: id(),
    key_hash: keyHash(),
    /** The secret that a rotation replaced, accepted until `previous_expires_at`. */
    previous_key_hash: keyHash().nullable(),
    previous_expires_at: instant().nullable(),
    /** An even older secret, accepted until `older_expires_at`. */
    older_key_hash: keyHash().nullable(),
    older_expires_at: instant().nullable(),
    user_id: () => references(User, 'user_id'),
    xrpl_address: p.string().length(128),
    mpesa_phone: p.string().length(32),
    display_name: p.string().length(200),
    status: p.string().length(16).$type<LpStatus>(),
    tier: p.smallint().default(0),
    spread_bps: p.integer().default(0),
    created_at: createdAt(),
    /** When an admin first approved it. A trigger writes it. */
    approved_at: instant().nullable(),
  },
});
export type Lp = InferEntity<typeof Lp>;

/** An LP's terms for a corridor. The view `lp_rate` has the terms that hold now. */
export const LpTerm = defineEntity({
  name: 'LpTerm',
  tableName: 'lp_term',
  checks: [
    { name: 'lp_term_one_price', expression: '(rate_usd is null) <> (offset_bps is null)' },
    { name: 'lp_term_rate_positive', expression: 'rate_usd > 0' },
    { name: 'lp_term_offset_plausible', expression: 'offset_bps >= -1000 and offset_bps <= 1000' },
    { name: 'lp_term_band', expression: 'min_fiat >= 0 and max_fiat >= min_fiat' },
    { name: 'lp_term_float_available_not_negative', expression: 'float_available >= 0' },
    { name: 'lp_term_float_reserved_not_negative', expression: 'float_reserved >= 0' },
  ],
  indexes: [
    { name: 'lp_term_corridor', properties: ['currency', 'method'] },
    { name: 'lp_term_changed', properties: ['changed'] },
    ...indexesOf(
      // The terms that the next webhooks report: rates in the order in which they expire, and low floats. The indexes do not
      // contain the float itself, so a claim that does not make the float low adds no entry.
      `create index "lp_term_expiry" on "lp_term" ("valid_until") where quoting and expiry_reported is distinct from valid_until`,
      `create index "lp_term_low" on "lp_term" ("lp_id") where quoting and float_is_low and not float_low_reported`,
    ),
  ],
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    currency: p.string().length(3).primary(),
    /** A method of the currency's corridor; `*` in a currency without one. */
    method: p.string().length(32).primary(),
    /** Units of the currency for 1 USD. Null: the rate is an offset. */
    rate_usd: p.decimal('string').precision(20).scale(SCALE.rate).nullable(),
    /** How many basis points the rate is above the reference price. */
    offset_bps: p.integer().nullable(),
    /** After this the rate is neither quoted nor used for automatic claims. */
    valid_until: instant(),
    /** The smallest and the largest order, in the currency. */
    min_fiat: fiat().default('0'),
    max_fiat: fiat().nullable(),
    /** Fiat that the LP can send for new orders, in the currency. Null: Corridor does not count it. */
    float_available: fiat().nullable(),
    /** Fiat reserved for the LP's claimed orders. */
    float_reserved: fiat().default('0'),
    /** Below this available float the LP gets the webhook `lp.float_low`. */
    float_low: fiat().nullable(),
    /** False: the LP wants no orders of this corridor at the moment. */
    quoting: p.boolean().default(true),
    /** The `valid_until` whose passing was reported to the LP. */
    expiry_reported: instant().nullable(),
    /** Indexed in place of the float itself, which each claim changes. */
    float_is_low: p
      .boolean()
      .generated('(coalesce(float_available < float_low, false)) stored')
      .$type<Opt<boolean>>(),
    /** Whether the float has been reported as low since it fell below `float_low`. */
    float_low_reported: p.boolean().default(false),
    /** When fiat of an order that the LP lost last returned to the float. */
    float_back_at: instant().nullable(),
    /** When the LP last made the terms take fewer orders. */
    narrowed_at: instant().nullable(),
    /** The position in the feed of the LP's last change. The feed reads the terms again after it, and after each claim. */
    changed: p.string().columnType('xid8').defaultRaw('feed_place()').$type<Opt<string>>(),
    updated_at: createdAt(),
  },
});
export type LpTerm = InferEntity<typeof LpTerm>;

/** The price source's last price of a US dollar in a currency. Terms with an offset use it until `usable_until`. */
export const ReferencePrice = defineEntity({
  name: 'ReferencePrice',
  tableName: 'reference_price',
  checks: [{ name: 'reference_price_positive', expression: 'per_usd > 0' }],
  properties: {
    currency: p.string().length(3).primary(),
    per_usd: p.decimal('string').precision(38).scale(18),
    as_of: instant(),
    usable_until: instant(),
    /** As in `LpTerm`. */
    changed: p.string().columnType('xid8').defaultRaw('feed_place()').$type<Opt<string>>(),
  },
});

/** The address that an LP has registered for a token on a chain. Until `previous_until`, the LP receives at the previous one. */
export const LpAsset = defineEntity({
  name: 'LpAsset',
  tableName: 'lp_asset',
  checks: [
    { name: 'lp_asset_destination_tag_check', expression: `chain = 'xrpl' or destination_tag is null` },
    { name: 'lp_asset_previous_check', expression: 'previous_until is null or previous_address is not null' },
  ],
  indexes: [
    { name: 'lp_asset_receive_key', properties: ['chain', 'receive_key'] },
    { name: 'lp_asset_added', properties: ['added'] },
  ],
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    symbol: p.string().length(16).primary(),
    chain: p.string().length(16).$type<Chain>().primary(),
    address: p.string().length(128),
    /** XRPL only: part of the address. */
    destination_tag: p.bigint('number').nullable(),
    /** One spelling for each address, with its destination tag. */
    receive_key: p
      .string()
      .length(160)
      .generated('(receive_key(chain, address, destination_tag)) stored')
      .$type<Opt<string>>(),
    /** Null: the LP has registered one address only. */
    previous_address: p.string().length(128).nullable(),
    previous_destination_tag: p.bigint('number').nullable(),
    /** When the change takes effect. Null: it took effect at once. */
    previous_until: instant().nullable(),
    /** The position in the feed at which the LP took the token. The feed reads the LP's tokens again after it. */
    added: p.string().columnType('xid8').defaultRaw('feed_place()').$type<Opt<string>>(),
    created_at: createdAt(),
  },
});

/**
 * The LP to which each receive address belongs: one per chain, of the LPs that an admin has ever approved. Triggers write it.
 * Any client may register as an LP, and Corridor cannot verify whose an address is, so an LP that was never approved keeps
 * none from others. An LP may take several tokens at one address, so `lp_asset` itself cannot have this key.
 */
export const LpAddress = defineEntity({
  name: 'LpAddress',
  tableName: 'lp_address',
  properties: {
    chain: p.string().length(16).primary(),
    receive_key: p.string().length(160).primary(),
    lp_id: () => references(Lp, 'lp_id'),
    /** From when on the LP takes no tokens there. It is in the future while a change of the address waits. */
    vacated_at: instant().nullable(),
  },
});

/** The balances of an LP's three ledger accounts. Only `src/db/ledger/post.ts` changes them, together with the transfers. */
export const LpCollateral = defineEntity({
  name: 'LpCollateral',
  tableName: 'lp_collateral',
  checks: [
    { name: 'lp_collateral_available_not_negative', expression: 'available >= 0' },
    { name: 'lp_collateral_locked_not_negative', expression: 'locked >= 0' },
    { name: 'lp_collateral_withdrawing_not_negative', expression: 'withdrawing >= 0' },
  ],
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    available: usd().default('0'),
    locked: usd().default('0'),
    withdrawing: usd().default('0'),
  },
});

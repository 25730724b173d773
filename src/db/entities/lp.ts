import { defineEntity, type InferEntity, type Opt, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { TIER_MULTIPLIERS } from '../../domain/collateral.ts';
import { LP_STATUSES, type LpStatus } from '../../domain/lp-status.ts';
import { createdAt, id, instant, keyHash, oneOf, references, usd } from './columns.ts';
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
  },
});
export type Lp = InferEntity<typeof Lp>;

/** An LP's price of one US dollar in a local currency. */
export const LpRate = defineEntity({
  name: 'LpRate',
  tableName: 'lp_rate',
  checks: [{ name: 'lp_rate_positive', expression: 'rate_usd > 0' }],
  indexes: [{ name: 'lp_rate_currency', properties: ['currency'] }],
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    currency: p.string().length(3).primary(),
    rate_usd: p.decimal('string').precision(20).scale(8),
    updated_at: createdAt(),
  },
});

/** The address at which an LP receives a token on a chain. */
export const LpAsset = defineEntity({
  name: 'LpAsset',
  tableName: 'lp_asset',
  checks: [
    { name: 'lp_asset_destination_tag_check', expression: `chain = 'xrpl' or destination_tag is null` },
  ],
  triggers: [
    {
      name: 'lp_asset_address',
      timing: 'after',
      events: ['insert', 'delete', 'update'],
      forEach: 'row',
      expression: `create trigger "lp_asset_address" after insert or delete or update of lp_id, chain, address, destination_tag on "lp_asset" for each row execute function lp_asset_owns_address()`,
    },
  ],
  indexes: [{ name: 'lp_asset_receive_key', properties: ['chain', 'receive_key'] }],
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
    created_at: createdAt(),
  },
});

/** The LP to which a receive address belongs: one per chain. A trigger on `lp_asset` writes it. */
export const LpAddress = defineEntity({
  name: 'LpAddress',
  tableName: 'lp_address',
  properties: {
    chain: p.string().length(16).primary(),
    receive_key: p.string().length(160).primary(),
    lp_id: () => references(Lp, 'lp_id'),
  },
});

/** The balances of an LP's three ledger accounts. Only `src/ledger/post.ts` changes them, together with the transfers. */
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

import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
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
    /** One that was valid before that, accepted until `older_expires_at`. */
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

/** What an LP asks for one US dollar in a local currency. */
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

/** Where an LP takes a token on a chain. */
export const LpAsset = defineEntity({
  name: 'LpAsset',
  tableName: 'lp_asset',
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    symbol: p.string().length(16).primary(),
    chain: p.string().length(16).$type<Chain>().primary(),
    address: p.string().length(128),
    created_at: createdAt(),
  },
});

/** The balances of an LP's three ledger accounts, moved in the same statement as the transfer that explains them. */
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

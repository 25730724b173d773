import { z } from 'zod';
import { DEPOSIT_STATUSES } from '../domain/deposit-status.ts';
import { LP_STATUSES } from '../domain/lp-status.ts';
import { chainName, id, money, time } from './answers.ts';
import { autoClaimState } from './auto-claim.ts';
import { coolingDownUntil, lpRecord } from './lp-record.ts';
import { offer, ownOrder } from './offers.ts';
import { withdrawal } from './withdrawals.ts';

/** Lists have at most this many rows. Contract: "Dashboard lists". */
export const LIST_LIMIT = 20;

const rate = z.strictObject({ currency: z.string(), rate_usd: z.number().positive() });
const asset = z.strictObject({ symbol: z.string(), chain: chainName });
const balance = { available: money, locked: money };
const spread_bps = z.number().int().nonnegative();

/** Contract: "GET /api/lp/{lp_key}/dashboard". */
export const dashboardResponse = z.strictObject({
  lp: z.strictObject({
    id,
    display_name: z.string(),
    status: z.enum(LP_STATUSES),
    tier: z.number().int().nonnegative(),
    spread_bps,
    ...lpRecord,
    cooling_down_until: coolingDownUntil,
    xrpl_address: z.string(),
    mpesa_phone: z.string(),
    created_at: time,
    collateral: z.strictObject(balance),
    auto_claim: autoClaimState,
    fiat_within_seconds: z
      .number()
      .int()
      .nonnegative()
      .describe('How long it has for the fiat of an order that is made now, from its claim on.'),
  }),
  rates: z.array(rate.extend({ updated_at: time })),
  assets: z.array(asset.extend({ address: z.string(), created_at: time })),
  open_orders: z.array(offer),
  my_orders: z.array(ownOrder),
});

/** Contract: "GET /api/lp/{lp_key}/balance". */
export const balanceResponse = z.strictObject({
  balance: z.strictObject({
    ...balance,
    withdrawing: money.describe('Reserved for withdrawals that are not decided yet.'),
    total: money.describe('All that is kept for the LP.'),
  }),
  recent_deposits: z.array(
    z.strictObject({
      id,
      amount: money,
      asset: z.string(),
      chain: chainName,
      tx_hash: z.string().nullable(),
      status: z.enum(DEPOSIT_STATUSES),
      created_at: time,
      confirmed_at: time.nullable(),
    }),
  ),
  recent_withdrawals: z.array(withdrawal),
  recent_fees: z.array(z.strictObject({ order_id: id, amount: money, created_at: time })),
  deposit_addresses: z
    .array(z.strictObject({ chain: chainName, address: z.string() }))
    .describe('Where collateral is to be sent, by chain; none for a simulated one.'),
  platform_total_fees: money.describe('USD that Corridor has taken from all LPs.'),
});

/** Contract: "GET /api/lps". Terms and record only: no addresses, no phone, no balance. */
export const lpsResponse = z.strictObject({
  lps: z.array(
    z.strictObject({
      id,
      display_name: z.string(),
      tier: z.number().int().nonnegative(),
      spread_bps,
      ...lpRecord,
      rates: z.array(rate),
      assets: z.array(asset),
    }),
  ),
});

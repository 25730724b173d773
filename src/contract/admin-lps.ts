import { z } from 'zod';
import { TIER_MULTIPLIERS } from '../domain/collateral.ts';
import { LP_STATUSES } from '../domain/lp-status.ts';
import { id, money, time } from './answers.ts';
import { line } from './fields.ts';
import { coolingDownUntil, lpRecord } from './lp-record.ts';
import { nextCursor, pageQuery } from './pages.ts';

const lpStatus = z.enum(LP_STATUSES);

/** `GET /api/admin/lps`. */
export const lpQuery = pageQuery.extend({ status: lpStatus.optional() });

/** An LP as admins see it: neither its key nor its phone. */
export const listedLp = z.strictObject({
  id,
  display_name: z.string(),
  status: lpStatus,
  tier: z.number().int().describe('The higher, the less collateral an order locks.'),
  spread_bps: z.number().int(),
  ...lpRecord,
  cooling_down_until: coolingDownUntil,
  xrpl_address: z.string(),
  user_id: id,
  created_at: time,
  rates: z.array(
    z.strictObject({ currency: z.string(), rate_usd: money.describe('Units of the currency per 1 USD.') }),
  ),
  collateral_available: money.describe('USD.'),
  collateral_locked: money.describe('USD, in orders that it has claimed.'),
});
export type ListedLp = z.output<typeof listedLp>;

export const lpPage = z.strictObject({ lps: z.array(listedLp), next_cursor: nextCursor });
export type LpPage = z.output<typeof lpPage>;

/** `POST /api/admin/lps/:id/forgive`. */
export const forgiveRequest = z.object({ reason: line(500) });

/** `POST /api/admin/lps/:id/tier`. */
export const tierRequest = z.object({
  tier: z
    .number()
    .int()
    .min(0)
    .max(TIER_MULTIPLIERS.length - 1),
});

import { z } from 'zod';
import { TIER_MULTIPLIERS } from '../../../domain/collateral.ts';
import { LP_STATUSES } from '../../../domain/lp-status.ts';
import { coolingDownUntil, lpRecord } from '../../schemas/lp-record.ts';
import { publishedTerms } from '../../schemas/lp-terms.ts';
import { nextCursor, pageQuery } from '../../schemas/pages.ts';
import { describeField, line, listValues } from '../../schemas/request-fields.ts';
import { id, money, time } from '../../schemas/response-fields.ts';

const lpStatus = z.enum(LP_STATUSES);

/** `GET /api/admin/lps`. */
export const lpQuery = pageQuery.extend({
  status: lpStatus.optional().describe(`Only LPs with this status. ${listValues(LP_STATUSES)} Default: all.`),
});

/** The admins' view of an LP, without its key and phone. */
export const listedLp = z.strictObject({
  id,
  display_name: z.string(),
  status: lpStatus,
  tier: z.number().int().describe('A higher tier locks less collateral per order.'),
  spread_bps: z.number().int(),
  ...lpRecord,
  cooling_down_until: coolingDownUntil,
  xrpl_address: z.string(),
  user_id: id,
  created_at: time,
  rates: z.array(publishedTerms),
  collateral_available: money.describe('USD.'),
  collateral_locked: money.describe('USD, locked for the orders that the LP owns.'),
});
export type ListedLp = z.output<typeof listedLp>;

export const lpPage = z.strictObject({ lps: z.array(listedLp), next_cursor: nextCursor });
export type LpPage = z.output<typeof lpPage>;

/** `POST /api/admin/lps/:id/forgive`. */
export const forgiveRequest = z
  .object({
    reason: describeField(line(500), 'Why the strikes are forgiven. Corridor keeps it with the LP’s record.'),
  })
  .meta({ examples: [{ reason: 'The bank of the LP was closed' }] });

const HIGHEST_TIER = TIER_MULTIPLIERS.length - 1;

/** `POST /api/admin/lps/:id/tier`. */
export const tierRequest = z
  .object({
    tier: z
      .number()
      .int()
      .min(0)
      .max(HIGHEST_TIER)
      .describe(
        `The LP’s new tier, a whole number from 0 to ${HIGHEST_TIER}. A higher tier locks less collateral per order.`,
      ),
  })
  .meta({ examples: [{ tier: 1 }] });

import { z } from 'zod';
import { LP_STATUSES } from '../../../domain/lp-status.ts';
import { coolingDownUntil, lpRecord } from '../../schemas/lp-record.ts';
import { explainedTerms, LIST_LIMIT, publishedAsset } from '../../schemas/lp-terms.ts';
import { offer, ownOrder } from '../../schemas/offers.ts';
import { destinationTag, id, time, usdMoney } from '../../schemas/response-fields.ts';
import { autoClaimState } from '../auto-claim/schemas.ts';
import { shownIncident } from '../incidents/schemas.ts';
import { lpWebhookState } from '../lp-webhook/schemas.ts';

/** Contract: "GET /api/lp/{lp_key}/dashboard". */
export const dashboardResponse = z.strictObject({
  lp: z.strictObject({
    id,
    display_name: z.string(),
    status: z.enum(LP_STATUSES),
    tier: z.number().int().nonnegative(),
    spread_bps: z.number().int().nonnegative(),
    ...lpRecord,
    cooling_down_until: coolingDownUntil,
    free_releases_left: z
      .number()
      .int()
      .nonnegative()
      .describe(
        'The number of further releases that cost no strike now, if each follows soon after its claim. Each free release counts for 24 hours.',
      ),
    xrpl_address: z.string(),
    mpesa_phone: z.string(),
    created_at: time,
    collateral: z.strictObject({ available: usdMoney, locked: usdMoney }),
    auto_claim: autoClaimState,
    webhook: lpWebhookState,
    incidents: z
      .array(shownIncident)
      .describe(
        'What is out of order now, oldest first: claims are refused there, and the clocks of orders that wait for it stand still.',
      ),
    fiat_within_seconds: z
      .number()
      .int()
      .nonnegative()
      .describe('How long the LP has to send the fiat after a claim, for an order created now.'),
  }),
  rates: z.array(explainedTerms),
  assets: z.array(
    publishedAsset.extend({
      address: z.string().describe('Where orders that the LP claims now are paid.'),
      destination_tag: destinationTag.nullable(),
      created_at: time,
      pending: z
        .strictObject({
          address: z.string(),
          destination_tag: destinationTag.nullable(),
          takes_effect_at: time.describe('From then on, orders that the LP claims are paid there.'),
        })
        .nullable()
        .describe('The change of the address that waits. To cancel it, register the present address again.'),
    }),
  ),
  open_orders: z.array(offer),
  my_orders: z
    .array(ownOrder)
    .describe(
      `Newest first, at most ${LIST_LIMIT}: the newest ${LIST_LIMIT / 2}, then those that wait for the LP’s fiat, then others that have not ended, then further new ones. \`GET /api/lp/{lp_key}/orders\` has all.`,
    ),
});

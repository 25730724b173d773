import { z } from 'zod';
import { CHAINS } from '../../../domain/assets.ts';
import { LP_WEBHOOK_EVENTS } from '../../../domain/lp-webhook.ts';
import { publishedTerms } from '../../schemas/lp-terms.ts';
import { chainName, id, time, usdMoney } from '../../schemas/response-fields.ts';
import { orderClosed, orderOpen, orderUpdated } from '../order-changes/schemas.ts';

const timestamp = time.describe('When the order changed.');

const { currency, method, rate_usd, offset_bps, float, float_reserved, float_low } = publishedTerms.shape;

/**
 * The body of a webhook to an LP: a change of the order feed, a strike, or an event about its terms, addresses, webhooks or
 * withdrawals.
 */
export const lpWebhookBody = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('order.open'), timestamp, data: orderOpen.omit({ type: true }) }),
  z.strictObject({
    type: z.literal('order.updated'),
    timestamp,
    status_reason_code: orderUpdated.shape.status_reason_code,
    data: orderUpdated.omit({ type: true, status_reason_code: true }),
  }),
  z.strictObject({ type: z.literal('order.closed'), timestamp, data: orderClosed.omit({ type: true }) }),
  z.strictObject({
    type: z.literal('lp.strike'),
    timestamp,
    data: z.strictObject({ order_id: id.describe('The order of the failed claim.') }),
  }),
  z.strictObject({
    type: z.literal('lp.rate_expired'),
    timestamp: time.describe('When the rate expired.'),
    data: z.strictObject({
      currency,
      method,
      rate_usd: rate_usd.describe('The rate that has expired; null: it is an offset.'),
      offset_bps,
      valid_until: time.describe('When the rate expired.'),
    }),
  }),
  z.strictObject({
    type: z.literal('lp.float_low'),
    timestamp: time.describe('When Corridor noticed the low float.'),
    data: z.strictObject({
      currency,
      method,
      float: float.unwrap().describe('Fiat that the LP can send for new orders, in the currency.'),
      float_reserved,
      float_low: float_low.unwrap().describe('The threshold below which the float is.'),
    }),
  }),
  z.strictObject({
    type: z.literal('lp.address_changed'),
    timestamp: time.describe('When the address was registered.'),
    data: z.strictObject({
      symbol: z.string(),
      chain: z.enum(CHAINS),
      address: z.string().describe('The address that was registered.'),
      destination_tag: z.number().int().nullable(),
      previous_address: z
        .string()
        .nullable()
        .describe(
          'Where the LP received the token until then. Null: it did not take this token before. The same as `address`: a change that waited was cancelled.',
        ),
      previous_destination_tag: z.number().int().nullable(),
      takes_effect_at: time
        .nullable()
        .describe('From when on orders that the LP claims are paid at `address`. Null: at once.'),
    }),
  }),
  z.strictObject({
    type: z.literal('lp.webhook_changed'),
    timestamp: time.describe('When the webhook was changed or removed.'),
    data: z.strictObject({
      host: z.string().nullable().describe('The host of the new URL. Null: webhooks are off.'),
      events: z
        .array(z.enum(LP_WEBHOOK_EVENTS))
        .nullable()
        .describe('The new events. Null: webhooks are off.'),
    }),
  }),
  z.strictObject({
    type: z.literal('lp.withdrawal_requested'),
    timestamp: time.describe('When the withdrawal was requested.'),
    data: z.strictObject({
      id: id.describe('The withdrawal.'),
      amount: usdMoney,
      asset: z.string(),
      chain: chainName,
      address: z.string().describe('Where an admin is asked to pay the collateral.'),
    }),
  }),
]);

import { z } from 'zod';
import { chain, currency, describeField, line } from '../../schemas/request-fields.ts';
import { chainName, id, time } from '../../schemas/response-fields.ts';

/** `POST /api/admin/incidents`. */
export const incidentRequest = z
  .object({
    currency: describeField(
      currency,
      'The fiat currency that is out of order. It has a corridor, terms of an approved LP or a live order.',
    ).optional(),
    method: z
      .string()
      .trim()
      .toLowerCase()
      .min(1)
      .max(32)
      .optional()
      .describe(
        'Only this method of the currency’s corridor or of its live orders, such as `mobile_money`. Only with `currency`. Default: all its methods.',
      ),
    chain: describeField(chain, 'The chain that is out of order, instead of a currency.').optional(),
    reason: describeField(
      line(300),
      'The reason that agents and LPs read when their calls are refused, and in the timelines of the orders.',
    ),
  })
  .refine((body) => (body.currency === undefined) !== (body.chain === undefined), {
    path: ['currency'],
    message: 'name a currency or a chain, and not both',
  })
  .refine(({ currency, method }) => method === undefined || currency !== undefined, {
    path: ['method'],
    message: 'must be left out without a currency: a chain has no methods',
  })
  .meta({
    examples: [{ currency: 'NGN', method: 'bank_transfer', reason: 'The banks’ network is down' }],
  });

/** An incident: what is out of order, and since when. */
export const incidentScope = {
  currency: z.string().nullable().describe('Null: the incident is of a chain.'),
  method: z.string().nullable().describe('Null: every method of the currency.'),
  chain: chainName.nullable().describe('Null: the incident is of a currency.'),
};

/** An incident as agents and LPs read it. */
export const shownIncident = z.strictObject({ ...incidentScope, reason: z.string(), opened_at: time });

export const incidentResponse = z.strictObject({
  id,
  ...incidentScope,
  reason: z.string(),
  opened_at: time.describe(
    'Since when the clocks have stood still. For an incident that Corridor opened: when the chain’s node stopped answering.',
  ),
  opened_by: z.string().describe('The admin, such as `admin:3`, or `service`: Corridor itself.'),
  closing_at: time
    .nullable()
    .describe(
      'When its closing began to move the deadlines. While `closed_at` is null, payments and claims are still paused, and the clocks of the orders whose deadlines have moved run. If that lasts for minutes, the closing has failed: close it again, or open it again.',
    ),
  closed_at: time.nullable().describe('Null: it is open.'),
  closed_by: z.string().nullable(),
});
export type IncidentView = z.output<typeof incidentResponse>;

/** `POST /api/admin/incidents/{id}/close`. */
export const closedIncidentResponse = incidentResponse.extend({
  moved: z.number().int().nonnegative().describe('How many orders got a later deadline.'),
});
export type ClosedIncidentView = z.output<typeof closedIncidentResponse>;

/** `GET /api/admin/incidents`. */
export const incidentList = z.strictObject({
  incidents: z
    .array(incidentResponse)
    .describe('The open ones, oldest first; then the 50 that were closed last, newest first.'),
});
export type IncidentList = z.output<typeof incidentList>;

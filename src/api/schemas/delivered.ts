import { z } from 'zod';
import { describeField, line } from './request-fields.ts';

/** The fields that determine the delivery of the fiat. `GET /api/v1/corridors` has their values for each currency. */
export const delivered = {
  method: describeField(
    line(32),
    'How the LP delivers the fiat: a method of the currency in `GET /api/v1/corridors`. Default: the default method of the currency, or `mobile_money` for a currency without a corridor.',
  ).optional(),
  institution: describeField(
    line(32),
    'The code of the mobile network or bank, from `GET /api/v1/corridors`. Some methods require it. Default: none.',
  ).optional(),
  recipient_details: z
    .record(line(32), z.string().max(256))
    .describe(
      'The fields of the recipient, as the method’s JSON Schema in `GET /api/v1/corridors` defines them: an object of texts.',
    )
    .optional(),
};

export const recipient = describeField(
  line(128),
  'The phone number or account that receives the fiat by the method. Required without `recipient_details`.',
).optional();

interface Recipient {
  recipient?: string | undefined;
  recipient_details?: Record<string, string> | undefined;
}

/** A body that needs a recipient in one of its two forms. */
export const withRecipient = <Body extends z.ZodType<Recipient>>(body: Body): Body =>
  body.refine(
    ({ recipient, recipient_details }) => recipient !== undefined || recipient_details !== undefined,
    {
      path: ['recipient'],
      error: 'is required, or recipient_details',
      // Reported together with the faults of other fields.
      when: ({ value }) => typeof value === 'object' && value !== null,
    },
  );

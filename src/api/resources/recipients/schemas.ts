import { z } from 'zod';
import { nameWords } from '../../../domain/name-match.ts';
import { delivered, recipient, withRecipient } from '../../schemas/delivered.ts';
import { currency, describeField, line } from '../../schemas/request-fields.ts';
import { recipientCheckResult, time } from '../../schemas/response-fields.ts';

/** `POST /api/v1/recipients/verify`. */
export const verifyRecipientRequest = withRecipient(
  z.object({
    currency: describeField(currency, 'The fiat currency that the recipient would receive.'),
    recipient,
    ...delivered,
    name: describeField(
      line(200).refine((text) => nameWords(text).length > 0, 'must have a letter or a digit'),
      'The name of the recipient that the payer expects. Without it, the result only says whether the account exists.',
    ).optional(),
  }),
).meta({ examples: [{ currency: 'KES', recipient: '+254700000001', name: 'Jane Wanjiku' }] });

export const verifyRecipientResponse = z.strictObject({
  recipient_check_id: z
    .string()
    .describe(
      'Usable for any number of payments to the recipient until it expires, with the same agent key.',
    ),
  ...recipientCheckResult,
  expires_at: time,
});

import { z } from 'zod';
import { recipientSchema } from '../../../market/corridors/recipient-fields.ts';
import { institution } from '../../../market/corridors/schema.ts';

const amount = z.number().positive().describe('In units of `currency`.');

/** `GET /api/v1/corridors`. */
export const corridorsResponse = z.strictObject({
  corridors: z.array(
    z.strictObject({
      currency: z.string(),
      name: z.string(),
      countries: z.array(z.string()).describe('ISO 3166 codes of the countries of the recipients.'),
      default_method: z.string().describe('The method of a payment that names none.'),
      methods: z.array(
        z.strictObject({
          method: z.string(),
          name: z.string(),
          source: z.string().describe('Where the limits and the institutions come from.'),
          min: amount,
          max: amount,
          institutions: z.array(institution).describe('The mobile networks or banks.'),
          institution_required: z.boolean().describe('Whether a payment must name an institution.'),
          recipient_field: z.string().describe('The field that a bare `recipient` fills.'),
          recipient: recipientSchema.describe('The JSON Schema of `recipient_details`.'),
          examples: z.array(z.record(z.string(), z.string())).describe('Valid `recipient_details`.'),
          available: z.boolean().describe('Whether an LP could take an order of the minimum now.'),
        }),
      ),
    }),
  ),
});

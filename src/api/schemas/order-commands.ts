import { z } from 'zod';
import { describeField, line } from './request-fields.ts';

/** Shapes that agents, LPs and admins share when they move an order. */

export const reason = describeField(
  line(300),
  'The reason that the order’s timeline shows. Must not contain names, numbers or keys of people.',
);

export const reasonRequest = z
  .object({ reason })
  .meta({ examples: [{ reason: 'The recipient says that nothing has arrived' }] });
export const optionalReasonRequest = z.object({ reason: reason.optional() });

export const disputeResponse = z.strictObject({ status: z.literal('disputed') });
export const lpDisputeResponse = z.strictObject({ status: z.enum(['disputed', 'frozen']) });

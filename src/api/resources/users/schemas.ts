import { z } from 'zod';
import { nextCursor } from '../../schemas/pages.ts';
import { describeField, line } from '../../schemas/request-fields.ts';
import { id, time } from '../../schemas/response-fields.ts';

/** `POST /api/admin/users`. */
export const userRequest = z
  .object({ name: describeField(line(200), 'A name for the user, which admins see.').optional() })
  .meta({ examples: [{ name: 'A payer' }] });

const count = z.number().int().nonnegative();

export const userResponse = z.strictObject({ id });

/** `POST /api/admin/users/:id/forget`. */
export const forgottenResponse = z.strictObject({
  user_id: id,
  masked: count.describe('Ended orders whose personal data this call has removed.'),
  waiting: count.describe(
    'Ended orders that still have it: their webhooks are still being sent, or the call ran out of time. Call again.',
  ),
  live: count.describe('Orders that have not ended. They keep it until they end and you call again.'),
});
export type ForgottenResponse = z.output<typeof forgottenResponse>;

/** `GET /api/admin/users`. */
export const userPage = z.strictObject({
  users: z.array(z.strictObject({ id, name: z.string().nullable(), created_at: time })),
  next_cursor: nextCursor,
});
export type UserPage = z.output<typeof userPage>;

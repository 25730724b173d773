import { z } from 'zod';
import { nextCursor } from '../../schemas/pages.ts';
import { describeField, line } from '../../schemas/request-fields.ts';
import { id, time } from '../../schemas/response-fields.ts';

/** `POST /api/admin/users`. */
export const userRequest = z
  .object({ name: describeField(line(200), 'A name for the user, which admins see.').optional() })
  .meta({ examples: [{ name: 'A payer' }] });

export const userResponse = z.strictObject({ id });

/** `GET /api/admin/users`. */
export const userPage = z.strictObject({
  users: z.array(z.strictObject({ id, name: z.string().nullable(), created_at: time })),
  next_cursor: nextCursor,
});
export type UserPage = z.output<typeof userPage>;

import { z } from 'zod';
import { keyOverlap } from '../../schemas/key-overlap.ts';
import { id, time } from '../../schemas/response-fields.ts';

/** `POST /api/lp/{lp_key}/rotate` and `POST /api/admin/lps/:id/rotate`. */
export const rotateLpRequest = z.object({ overlap: keyOverlap });

export const rotateLpResponse = z.strictObject({
  lp_id: id,
  lp_key: z.string().describe('The new secret of this LP. Shown only once.'),
  warning: z.string(),
  old_key_expires_at: time,
});
export type RotateLpResponse = z.output<typeof rotateLpResponse>;

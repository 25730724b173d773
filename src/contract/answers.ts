import { z } from 'zod';
import { CHAINS } from '../domain/assets.ts';
import { ORDER_STATUSES } from '../domain/order-state.ts';

/** Field kinds of what Corridor answers. Objects are strict: a field that is not declared is a defect. */

export const id = z.number().int().positive();
/** ISO 8601, in UTC, to the millisecond. */
export const time = z.iso.datetime({ precision: 3 });
export const orderStatus = z.enum(ORDER_STATUSES);
export const chainName = z.enum(CHAINS);
/** Written as a JSON number; exact for every amount that Corridor takes. */
export const money = z.number().nonnegative();

export const ok = z.strictObject({ ok: z.literal(true) });

/** Contract: "Errors". */
export const errorBody = z.strictObject({ error: z.string() });
export const validationErrorBody = z.strictObject({
  error: z.strictObject({
    fieldErrors: z.record(z.string(), z.array(z.string())),
    formErrors: z.array(z.string()),
  }),
  message: z.literal('Validation failed'),
});

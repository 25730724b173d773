import { z } from 'zod';
import { CHAINS } from '../../domain/assets.ts';
import { ORDER_STATUSES } from '../../domain/order-state.ts';

/** Response fields. Response objects are strict: an undeclared field is a defect. */

export const id = z.number().int().positive();
/** ISO 8601, in UTC, to the millisecond. */
export const time = z.iso.datetime({ precision: 3 });
export const orderStatus = z.enum(ORDER_STATUSES);
export const chainName = z.enum(CHAINS);
/** A JSON number, exact for every amount that Corridor accepts. */
export const money = z.number().nonnegative();
export const usdMoney = money.describe('In USD.');
export const fiatMoney = money.describe('In units of `currency`.');
export const cryptoMoney = money.describe('In units of the token.');

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

/** XRPL only. */
export const destinationTag = z
  .number()
  .int()
  .describe('The destination tag that payments to the address must have, on `xrpl` only.');

import { z } from 'zod';
import { CHAINS } from '../../domain/assets.ts';
import { ORDER_STATUSES } from '../../domain/order-state.ts';
import { RECIPIENT_CHECK_RESULTS } from '../../domain/recipient-check.ts';
import { REASON_CODES } from '../../domain/status-reasons.ts';

/** Response fields. Response objects are strict: an undeclared field is a defect. */

export const id = z.number().int().positive();
/** ISO 8601, in UTC, to the millisecond. */
export const time = z.iso.datetime({ precision: 3 });
export const orderStatus = z.enum(ORDER_STATUSES);
export const chainName = z.enum(CHAINS);
/** Beside the text of a reason. */
export const reasonCode = z
  .enum(REASON_CODES)
  .describe('The code of the reason, for programs. More may follow. Null: nobody gave a reason.');
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

/** The result of a check of a recipient. */
export const recipientCheckResult = {
  result: z
    .enum(RECIPIENT_CHECK_RESULTS)
    .describe(
      '`matched`: the account’s holder has the expected name. `partial`: a part of the name agrees, or no name was expected and the account exists. `not_matched`: the holder has another name, or there is no such account. `unsupported`: the operator has no resolver. `unavailable`: the resolver gave no usable answer.',
    ),
  name_masked: z
    .string()
    .nullable()
    .describe('First letters of the holder’s name, such as `J••• M•••`; null if no name is known.'),
};

/** The check that a payment named, as its order keeps it. */
export const boundRecipientCheck = z.strictObject({
  recipient_check_id: z.string(),
  ...recipientCheckResult,
  checked_at: time,
});

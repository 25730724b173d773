import { z } from 'zod';
import { RECEIPT_TYPES, type ReceiptType } from '../../../domain/receipt-type.ts';
import { id } from '../../schemas/response-fields.ts';

/** Contract: "Receipt file size". Counted while the file arrives. */
export const MAX_RECEIPT_BYTES = 12 * 1024 * 1024;

/** The address of a receipt, where the parties of its order and admins can read it. */
export const receiptUrlOf = (publicUrl: string, receiptKey: string): string =>
  `${publicUrl}/api/receipts/${receiptKey}`;

export const RECEIPT_MEDIA_TYPES = Object.keys(RECEIPT_TYPES) as ReceiptType[];

/** Contract: "POST /api/lp/{lp_key}/receipt", the form's text fields. */
export const receiptFields = z.object({
  order_id: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, 'must be the number of an order')
    .describe('The id of the order that the receipt proves: a positive whole number in decimal digits.'),
});

/** The whole form, for the OpenAPI document. */
export const receiptForm = receiptFields.extend({
  file: z
    .file()
    .max(MAX_RECEIPT_BYTES)
    .describe(
      `One file of at most ${MAX_RECEIPT_BYTES / 1024 ** 2} MiB: png, jpg, webp, gif, pdf or heic. Its content determines the type, not its name or declared type.`,
    ),
});

export const receiptResponse = z.strictObject({
  ok: z.literal(true),
  order_id: id,
  receipt_key: z.string(),
  receipt_url: z.url().describe('Readable with the key of the order’s LP, its agent or an admin.'),
});

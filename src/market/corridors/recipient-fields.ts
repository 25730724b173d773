import { z } from 'zod';
import { DEFAULT_METHOD } from '../../domain/delivery.ts';

const LONGEST_VALUE = 128;

/** A lower-case name, as in `mobile_money`. */
export const slug = (what: string) =>
  z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, `must be ${what} such as ${DEFAULT_METHOD}: lower case`);
/** A text that people read. */
export const text = z.string().trim().min(1).max(300);

/**
 * One field of a recipient, as JSON Schema. `format`: `phone` is a mobile number of the corridor, `iban` an account in
 * it.
 */
export const recipientField = z.strictObject({
  type: z.literal('string'),
  title: text,
  description: text.optional(),
  format: z.enum(['phone', 'iban']).optional(),
  enum: z.array(z.string().min(1).max(LONGEST_VALUE)).min(1).optional(),
  pattern: z
    .string()
    // `abort`, because the check of the examples must not run such a pattern.
    .refine(isAnchored, { error: 'must be a regular expression from ^ to $', abort: true })
    .optional(),
  minLength: z.number().int().min(1).optional(),
  maxLength: z.number().int().min(1).max(LONGEST_VALUE),
});
export type RecipientField = z.output<typeof recipientField>;

/** The fields that a method needs to identify a recipient: a JSON Schema of strings. */
export const recipientSchema = z.strictObject({
  type: z.literal('object'),
  required: z.array(z.string()).min(1),
  properties: z.record(slug('the name of a field'), recipientField),
  additionalProperties: z.literal(false),
});
export type RecipientSchema = z.output<typeof recipientSchema>;

/** Whether a pattern matches whole values only. */
function isAnchored(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
  } catch {
    return false;
  }
  return pattern.startsWith('^') && pattern.endsWith('$') && !hasAlternativesOutsideGroups(pattern);
}

function hasAlternativesOutsideGroups(pattern: string): boolean {
  let depth = 0;
  for (const sign of pattern.replace(/\\./gu, '').replace(/\[[^\]]*\]/g, '')) {
    if (sign === '(') depth++;
    if (sign === ')') depth--;
    if (sign === '|' && depth === 0) return true;
  }
  return false;
}

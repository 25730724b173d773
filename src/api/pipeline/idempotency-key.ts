import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { invalidField } from '../../domain/errors.ts';
import { validate } from './validate.ts';

/** Contract: `Idempotency-Key`. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable characters without spaces')
  .describe(
    'A key that the caller chooses: 1 to 255 printable ASCII characters without spaces. A repeated request with the same key returns the first result and does nothing again.',
  );

/** Contract: "optional header `Idempotency-Key`", spelled with a hyphen or an underscore. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['idempotency-key'] ?? headers.idempotency_key;
  if (given === undefined) return undefined;
  return validate(z.object({ 'Idempotency-Key': idempotencyKey }), { 'Idempotency-Key': given })[
    'Idempotency-Key'
  ];
}

/** The header of a route that requires it. */
export function requireIdempotencyKey(headers: IncomingHttpHeaders): string {
  const key = idempotencyKeyOf(headers);
  if (key === undefined) throw invalidField('Idempotency-Key', 'is required');
  return key;
}

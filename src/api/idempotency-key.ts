import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { idempotencyKey } from '../contract/payments.ts';
import { validate } from './validate.ts';

/** Contract: "optional header `Idempotency-Key`", in either spelling. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['idempotency-key'] ?? headers.idempotency_key;
  if (given === undefined) return undefined;
  return validate(z.object({ 'Idempotency-Key': idempotencyKey }), { 'Idempotency-Key': given })[
    'Idempotency-Key'
  ];
}

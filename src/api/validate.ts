import { z } from 'zod';
import { DomainError, type ValidationDetails } from '../domain/errors.ts';

/** Parses a value from outside. Contract: "Validation failures". */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DomainError('validation_failed', undefined, {
    details: z.flattenError(parsed.error) as ValidationDetails,
  });
}

/** An id from a path. One that cannot exist is an unknown one: 404. */
export function idFrom(text: string | undefined): number {
  const id = idOrNull(text);
  if (id === null) throw new DomainError('not_found');
  return id;
}

/** An id from a path; null for one that cannot exist. */
export function idOrNull(text: string | undefined): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

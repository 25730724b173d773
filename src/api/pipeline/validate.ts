import { z } from 'zod';
import { DomainError, type ValidationDetails } from '../../domain/errors.ts';

/** Parses a value from a request. Contract: "Validation failures". */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DomainError('validation_failed', undefined, {
    details: z.flattenError(parsed.error) as ValidationDetails,
  });
}

/** Reads an id from a path. An impossible id counts as unknown: 404. */
export function idFrom(text: string | undefined): number {
  const id = idOrNull(text);
  if (id === null) throw new DomainError('not_found');
  return id;
}

/** Reads an id from a path; null for an impossible one. */
export function idOrNull(text: string | undefined): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

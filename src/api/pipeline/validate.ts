import { z } from 'zod';
import { DomainError, type ValidationDetails } from '../../domain/errors.ts';
import { nearestNames } from '../../domain/near-miss.ts';
import { faultWords } from './fault-words.ts';

/** Parses a value from a request. Contract: "Validation failures". */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { error: faultWords });
  if (parsed.success) return parsed.data;
  throw new DomainError('validation_failed', undefined, {
    details: z.flattenError(parsed.error) as ValidationDetails,
  });
}

/**
 * Parses a JSON body. Unknown keys are ignored, except near misses of known ones. Otherwise `callbackUrl` instead of
 * `callback_url` would create a payment without webhooks.
 */
export function validateBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const misspelt = misspeltKeys(schema, body);
  if (Object.keys(misspelt).length === 0) return validate(schema, body);
  const { error } = schema.safeParse(body, { error: faultWords });
  const { fieldErrors, formErrors } = error
    ? (z.flattenError(error) as ValidationDetails)
    : { fieldErrors: {}, formErrors: [] };
  throw new DomainError('validation_failed', undefined, {
    details: { fieldErrors: { ...fieldErrors, ...misspelt }, formErrors },
  });
}

/** More unknown keys than a typing error causes. To compare further keys would only cost time. */
const MOST_COMPARED = 100;

/** The faults of the keys that are near misses, by key. */
function misspeltKeys(schema: z.ZodType, body: unknown): Record<string, string[]> {
  if (!(schema instanceof z.ZodObject) || typeof body !== 'object' || body === null) return {};
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(body).filter((key) => !known.includes(key));
  return Object.fromEntries(
    unknown.slice(0, MOST_COMPARED).flatMap((key) => {
      const meant = keysMeantBy(key, known);
      return meant.length > 0 ? [[key, [`is not a field: did you mean ${meant.join(' or ')}?`]]] : [];
    }),
  );
}

/** Other spellings of one name, such as `callbackUrl` and `callback-url`, count as the same name, with or without a typing error. */
const spelling = (key: string): string => key.toLowerCase().replace(/[-_ ]/g, '');

const LONGEST_KEY = 64;

function keysMeantBy(key: string, known: string[]): string[] {
  if (key.length > LONGEST_KEY) return [];
  const near = nearestNames(spelling(key), known.map(spelling));
  // A name with its separators may be long enough for two typing errors.
  return near.length > 0
    ? known.filter((name) => near.includes(spelling(name)))
    : nearestNames(key.toLowerCase(), known);
}

/** Reads an id from a path. An impossible id counts as unknown: 404. */
export function idFrom(text: string | undefined): number {
  const id = idOrNull(text);
  if (id === null) throw new DomainError('not_found');
  return id;
}

/** Reads an id from a path; null: the id is impossible. */
export function idOrNull(text: string | undefined): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

import { isDatabaseAway } from '../db/errors.ts';
import { DomainError } from '../domain/errors.ts';
import { HttpError, type ResponseError } from './errors.ts';

/**
 * The refusal that a caller receives for a failure. A refusal stays as it is. Any other error becomes `unavailable`
 * when the database is unavailable, and `internal` otherwise: callers see no details of it.
 */
export function refusalFor(error: unknown): ResponseError {
  if (error instanceof DomainError || error instanceof HttpError) return error;
  if (isDatabaseAway(error))
    return new DomainError('unavailable', undefined, { retryAfter: 2, cause: error });
  return new HttpError('internal');
}

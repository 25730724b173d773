import { DOMAIN_ERROR_CODES, type DomainError, Refusal } from '../domain/errors.ts';

/** Names of the refusals that come from HTTP itself and not from a route. */
const HTTP_ERROR_CODES = [
  'method_not_allowed',
  'invalid_json',
  'bad_multipart',
  'bad_request',
  'request_timeout',
  'headers_too_large',
  'payload_too_large',
  'rate_limited',
  'too_many_connections',
  'origin_refused',
  'internal',
] as const;
export type HttpErrorCode = (typeof HTTP_ERROR_CODES)[number];

/** Every code that a response can carry. `error-responses.ts` defines the HTTP status and standard text of each. */
export const ERROR_CODES = [...DOMAIN_ERROR_CODES, ...HTTP_ERROR_CODES] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** A refusal that comes from HTTP itself. */
export class HttpError extends Refusal<HttpErrorCode> {
  override readonly name = 'HttpError';
}

/** An error for which `error-responses.ts` has a response. */
export type ResponseError = DomainError | HttpError;

import { DOMAIN_ERRORS } from '../domain/error-codes.ts';
import { type DomainError, Refusal } from '../domain/errors.ts';

/** The refusals that come from HTTP itself and not from a route, as `DOMAIN_ERRORS`. */
const HTTP_ERRORS = {
  method_not_allowed: `405 Method not allowed
    The path exists for other methods: the Allow header lists them.`,
  invalid_json: `400 Invalid JSON
    The body is not a JSON object, or its Content-Type is wrong. Send application/json.`,
  bad_multipart: `400 Bad multipart body
    The upload is not multipart/form-data, or lacks a field that the route needs.`,
  bad_request: `400 Bad request
    The bytes are not an HTTP request, or the request does not have exactly one Host.`,
  request_timeout: `408 The request took too long to arrive
    The request arrived too slowly. Send it again without pauses.`,
  headers_too_large: `431 The headers are too large
    The headers exceed the limit of the server. Check for a large cookie.`,
  payload_too_large: `413 Payload too large
    The body exceeds the limit of the route.`,
  rate_limited: `429 Too many requests
    Wait for the number of seconds in Retry-After.`,
  too_many_connections: `429 Too many concurrent connections for this LP key
    Close a connection to the order feed that you do not need, or share one.`,
  origin_refused: `403 Pages of this origin may not call this
    A browser sent this for a page of another site. Call from a server, or ask the operator to add the page’s origin to CORS_ORIGINS. A program that is no browser should send no Origin header.`,
  internal: `500 Internal error
    A defect in Corridor. Send the operator the X-Request-Id of the response, which identifies the request in the log. You may send the same call again.`,
};
export type HttpErrorCode = keyof typeof HTTP_ERRORS;

const ROWS = { ...DOMAIN_ERRORS, ...HTTP_ERRORS };
/** A code that a response can carry. */
export type ErrorCode = keyof typeof ROWS;
export const ERROR_CODES = Object.keys(ROWS) as ErrorCode[];

/** What a code says: its HTTP status, its standard text, and what it means for the caller. */
export interface ErrorRow {
  status: number;
  text: string;
  meaning: string;
}

const ERRORS = new Map(ERROR_CODES.map((code) => [code, rowOf(ROWS[code])]));

function rowOf(row: string): ErrorRow {
  const [, status, text, meaning] = /^(\d{3}) (.+)\n +(.+)$/.exec(row) ?? [];
  if (!status || !text || !meaning) throw new Error(`This is no row of an error: ${row}`);
  return { status: Number(status), text, meaning };
}

/** The status, the standard text and the meaning of an error code. */
export const errorRow = (code: ErrorCode): ErrorRow => ERRORS.get(code) as ErrorRow;

/** A refusal that comes from HTTP itself. */
export class HttpError extends Refusal<HttpErrorCode> {
  override readonly name = 'HttpError';
}

/** An error for which there is a response. */
export type ResponseError = DomainError | HttpError;

import { errorRow, type ResponseError } from './errors.ts';

export interface ErrorResponse {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** The page that explains the errors, with a section for each code. */
export const ERRORS_PATH = '/docs/errors';

/**
 * The response for a refusal: `{error}`, or `{error: {fieldErrors, formErrors}, message}` for a failed validation. Its
 * headers carry the code for programs, and a link to the page that explains it.
 */
export function errorResponse(error: ResponseError): ErrorResponse {
  const { status, text } = errorRow(error.code);
  const headers = {
    'x-error-code': error.code,
    link: `<${ERRORS_PATH}#${error.code}>; rel="help"`,
    ...(error.retryAfter ? { 'retry-after': String(error.retryAfter) } : {}),
  };
  const body = error.details ? { error: error.details, message: text } : { error: error.message || text };
  return { status, headers, body };
}

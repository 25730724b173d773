import { STATUS_CODES } from 'node:http';
import type { ErrorResponse } from './error-responses.ts';

/** Of an answer that ends its connection: what keeps browsers from doing anything with it. */
export const LAST_ANSWER_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  connection: 'close',
};

/** An answer as bytes, for a socket that the HTTP application never sees: before an upgrade, or with no request on it. */
export function rawAnswer({ status, headers, body }: ErrorResponse): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...LAST_ANSWER_HEADERS,
    ...headers,
    'content-length': Buffer.byteLength(text),
  }).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}

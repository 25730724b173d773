import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorResponse } from './error-responses.ts';

/** Headers of a response that ends its connection. Browsers must not render, sniff or cache it. */
export const LAST_RESPONSE_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  connection: 'close',
};

/** How long the client may take to read the response before the connection is destroyed. */
const LAST_RESPONSE_MS = 2_000;

/**
 * Sends a response on a connection that the HTTP application never sees: an upgrade, or bytes that are not a request.
 * Then closes the connection, even if the client does not; Node would wait for the client without limit.
 */
export function respondAndClose(stream: Duplex, response: ErrorResponse): void {
  const tooLong = setTimeout(() => stream.destroy(), LAST_RESPONSE_MS);
  stream.once('close', () => clearTimeout(tooLong));
  stream.end(rawResponse(response), () => stream.destroy());
}

function rawResponse({ status, headers, body }: ErrorResponse): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...LAST_RESPONSE_HEADERS,
    ...headers,
    'content-length': Buffer.byteLength(text),
  }).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}

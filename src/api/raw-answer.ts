import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorResponse } from './error-responses.ts';

/** Of an answer that ends its connection: what keeps browsers from doing anything with it. */
export const LAST_ANSWER_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  connection: 'close',
};

/** For the other end to take the answer in, where answers that it has not read are in front of it. */
const LAST_ANSWER_MS = 2_000;

/**
 * Answers on a socket that the HTTP application never sees, before an upgrade or with no request on it, and closes it
 * whatever the other end does: Node would wait for it to close its side as well, without an end.
 */
export function answerAndClose(stream: Duplex, answer: ErrorResponse): void {
  const tooLong = setTimeout(() => stream.destroy(), LAST_ANSWER_MS);
  stream.once('close', () => clearTimeout(tooLong));
  stream.end(rawAnswer(answer), () => stream.destroy());
}

function rawAnswer({ status, headers, body }: ErrorResponse): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...LAST_ANSWER_HEADERS,
    ...headers,
    'content-length': Buffer.byteLength(text),
  }).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}

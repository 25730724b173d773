import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTABLE_ID = /^[\w-]{8,64}$/;

/** The caller's own request id, so that the caller can find its request in our log; otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = String(headers['x-request-id'] ?? '');
  return ACCEPTABLE_ID.test(given) ? given : randomUUID();
}

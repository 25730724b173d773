import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LpWebhookEvent, WebhookEvent } from './contract.ts';

/** The faults of a webhook, or of the arguments of `verifyWebhook`. */
export type WebhookMistake =
  | 'secret_missing'
  | 'body_already_parsed'
  | 'body_in_another_encoding'
  | 'signature_missing'
  | 'signature_of_another_form'
  | 'wrong_secret_or_changed_body'
  | 'timestamp_out_of_window'
  | 'body_is_no_event';

/** A webhook that failed verification. `mistake` names the reason, and the message says what to check. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly mistake: WebhookMistake;

  constructor(mistake: WebhookMistake, message: string) {
    super(message);
    this.mistake = mistake;
  }
}

export interface VerifyOptions {
  /**
   * The webhook secret of your agent key (`whsec_…`), or several during a rotation: any of them can match. Do not add the
   * installation's `WEBHOOK_SECRET`: every integrator knows it, so each could forge webhooks to you. Empty and undefined
   * secrets, such as unset variables, are ignored. If no secret is left, the mistake is `secret_missing`.
   */
  secret: string | undefined | readonly (string | undefined)[];
  /** The raw request body, before any parsing. */
  body: Uint8Array | string;
  /** The request's headers, as Node's object or as `Headers`. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The allowed difference between the webhook's time and now, in seconds. Default: 300. */
  toleranceSeconds?: number;
  /** Replaces the current time, for tests. */
  now?: Date;
}

const STANDARD_PREFIX = 'whsec_';
const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * Verifies a webhook and returns its event. It checks the Standard Webhooks signature, which covers the time. If there is
 * none, it checks `X-Service-Signature`, which does not cover the time and which only the installation's secret makes. Throws a `WebhookError`.
 */
export const verifyWebhook = (options: VerifyOptions): WebhookEvent =>
  parseEvent(verifyBytes(options), ({ event }) => event === 'order.status_changed');

const LP_EVENTS: readonly unknown[] = [
  'order.open',
  'order.updated',
  'order.closed',
  'lp.strike',
  'lp.rate_expired',
  'lp.float_low',
  'lp.address_changed',
  'lp.webhook_changed',
  'lp.withdrawal_requested',
] satisfies LpWebhookEvent['type'][];

/**
 * The same for a webhook to a liquidity provider, which always has the Standard Webhooks signature, so that an old one is refused.
 * `secret`: the LP's own secret, from `setWebhook`.
 */
export function verifyLpWebhook(options: VerifyOptions): LpWebhookEvent {
  const standard = STANDARD_HEADERS.map((name) => [name, readHeader(options.headers, name)]);
  return parseEvent(verifyBytes({ ...options, headers: Object.fromEntries(standard) }), ({ type }) =>
    LP_EVENTS.includes(type),
  );
}

/** Returns the body if the signature is valid. */
function verifyBytes(options: VerifyOptions): Buffer {
  const { secret, body, headers, toleranceSeconds = 300, now = new Date() } = options;
  // `whsec_` alone, as an unset variable in a template makes it, is no secret: anybody could sign with an empty key.
  const secrets = (Array.isArray(secret) ? secret : [secret]).filter(
    (one) => one && decodeKey(one).length > 0,
  );
  if (secrets.length === 0)
    throw new WebhookError(
      'secret_missing',
      'There is no secret. Check that the setting with the secret exists and that your program reads it',
    );
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new WebhookError(
      'body_already_parsed',
      'The body is already parsed, but the signature covers the raw bytes. Pass the raw body',
    );
  const bytes = Buffer.from(body as Uint8Array);
  const [id, timestamp, signatures] = STANDARD_HEADERS.map((name) => readHeader(headers, name));
  const plain = readHeader(headers, 'x-service-signature');
  if (id && timestamp && signatures) {
    requireMatch(bytes, (candidate) =>
      matchesStandard({ secrets, bytes: candidate, id, timestamp, signatures }),
    );
    requireRecent(timestamp, toleranceSeconds, now);
  } else if (plain) requireMatch(bytes, (candidate) => matchesPlain(secrets, candidate, plain));
  else
    throw new WebhookError(
      'signature_missing',
      'The request has neither webhook-id, webhook-timestamp and webhook-signature nor x-service-signature. Check whether a proxy removes them',
    );
  return bytes;
}

interface StandardSignature {
  secrets: readonly string[];
  bytes: Buffer;
  id: string;
  timestamp: string;
  signatures: string;
}

function matchesStandard({ secrets, bytes, id, timestamp, signatures }: StandardSignature): boolean {
  const expected = secrets.map((secret) =>
    createHmac('sha256', decodeKey(secret)).update(`${id}.${timestamp}.`).update(bytes).digest(),
  );
  const given = signatures.split(' ').filter((signature) => signature.startsWith('v1,'));
  if (given.length === 0)
    throw new WebhookError(
      'signature_of_another_form',
      'webhook-signature has no signature that starts with "v1,"',
    );
  return given.some((signature) => {
    const received = Buffer.from(signature.slice('v1,'.length), 'base64');
    return expected.some((digest) => isEqual(digest, received));
  });
}

const decodeKey = (secret: string): Buffer =>
  secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret);

function matchesPlain(secrets: readonly string[], bytes: Buffer, given: string): boolean {
  if (!/^[0-9a-f]{64}$/i.test(given))
    throw new WebhookError(
      'signature_of_another_form',
      'x-service-signature must have 64 hexadecimal digits. It is not base64',
    );
  const received = Buffer.from(given, 'hex');
  return secrets.some((secret) => isEqual(createHmac('sha256', secret).update(bytes).digest(), received));
}

function requireMatch(bytes: Buffer, matches: (candidate: Buffer) => boolean): void {
  if (matches(bytes)) return;
  // These undo the two ways in which a wrong text encoding can change the bytes.
  const restored = [Buffer.from(bytes.toString(), 'latin1'), Buffer.from(bytes.toString('latin1'))];
  if (restored.some(matches))
    throw new WebhookError(
      'body_in_another_encoding',
      'Your program read or wrote the body as Latin-1, but it is UTF-8. Pass the raw bytes',
    );
  throw new WebhookError(
    'wrong_secret_or_changed_body',
    'The signature does not match this body and this secret: is it your own webhook secret, and is the body unchanged, not parsed and serialized again?',
  );
}

const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

function requireRecent(timestamp: string, toleranceSeconds: number, now: Date): void {
  const difference = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (difference <= toleranceSeconds) return;
  throw new WebhookError(
    'timestamp_out_of_window',
    `The webhook’s time is ${Math.round(difference)} s from now, and at most ${toleranceSeconds} s are allowed. Either the webhook is replayed, or a clock is wrong`,
  );
}

function parseEvent<Event>(
  bytes: Buffer,
  isKnown: (event: { event?: unknown; type?: unknown }) => boolean,
): Event {
  try {
    const event = JSON.parse(bytes.toString());
    if (event && isKnown(event)) return event;
  } catch {
    // The error below covers this too.
  }
  throw new WebhookError(
    'body_is_no_event',
    'The signature is valid, but this client does not know the event',
  );
}

function readHeader(headers: VerifyOptions['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value.join(' ') : value;
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from './contract.ts';

/** What is wrong with a webhook, or with how it was handed over. */
export type WebhookMistake =
  | 'secret_missing'
  | 'body_already_parsed'
  | 'body_in_another_encoding'
  | 'signature_missing'
  | 'signature_of_another_form'
  | 'wrong_secret_or_changed_body'
  | 'timestamp_out_of_window'
  | 'body_is_no_event';

/** A webhook that is not to be believed. `mistake` says why, and the message what to look at. */
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
   * The installation's webhook secret, as it is written there; several while one replaces the other: any will do. Empty and
   * missing ones, as of settings that are not there, count as none; with none left it is `secret_missing`.
   */
  secret: string | undefined | readonly (string | undefined)[];
  /** The bytes as they came in, before anything parsed them. */
  body: Uint8Array | string;
  /** The request's headers: Node's, or a `Headers`. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** By how much the attempt's time may differ from now, seconds (300). */
  toleranceSeconds?: number;
  /** For tests. */
  now?: Date;
}

const PREFIX = 'whsec_';

/**
 * The event of a webhook that the service has sent, a short while ago. Looks at the signature of Standard Webhooks where
 * there is one, which covers the time, and else at `X-Service-Signature`, which does not. Throws a `WebhookError`.
 */
export function verifyWebhook(options: VerifyOptions): WebhookEvent {
  const { secret, body, headers, toleranceSeconds = 300, now = new Date() } = options;
  const secrets = (Array.isArray(secret) ? secret : [secret]).filter(Boolean);
  if (secrets.length === 0)
    throw new WebhookError(
      'secret_missing',
      'There is no secret to verify with: is the setting that holds it there, and read?',
    );
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new WebhookError(
      'body_already_parsed',
      'The body has been parsed already: the signature is over the bytes as they came. Hand over the raw body',
    );
  const bytes = Buffer.from(body as Uint8Array);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  const plain = headerOf(headers, 'x-service-signature');
  if (id && timestamp && signatures) {
    requireMatch(bytes, (given) => isStandard({ secrets, bytes: given, id, timestamp, signatures }));
    requireRecent(timestamp, toleranceSeconds, now);
  } else if (plain) requireMatch(bytes, (given) => isPlain(secrets, given, plain));
  else
    throw new WebhookError(
      'signature_missing',
      'Neither webhook-id, webhook-timestamp and webhook-signature nor x-service-signature came: has a proxy taken them out?',
    );
  return eventOf(bytes);
}

interface Standard {
  secrets: readonly string[];
  bytes: Buffer;
  id: string;
  timestamp: string;
  signatures: string;
}

function isStandard({ secrets, bytes, id, timestamp, signatures }: Standard): boolean {
  const ours = secrets.map((secret) =>
    createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(bytes).digest(),
  );
  const given = signatures.split(' ').filter((one) => one.startsWith('v1,'));
  if (given.length === 0)
    throw new WebhookError(
      'signature_of_another_form',
      'webhook-signature has no part that begins with "v1,"',
    );
  return given.some((one) => {
    const theirs = Buffer.from(one.slice('v1,'.length), 'base64');
    return ours.some((own) => same(own, theirs));
  });
}

const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);

function isPlain(secrets: readonly string[], bytes: Buffer, given: string): boolean {
  if (!/^[0-9a-f]{64}$/i.test(given))
    throw new WebhookError(
      'signature_of_another_form',
      'x-service-signature is not 64 hexadecimal digits: it is hexadecimal, and not base64',
    );
  const theirs = Buffer.from(given, 'hex');
  return secrets.some((secret) => same(createHmac('sha256', secret).update(bytes).digest(), theirs));
}

function requireMatch(bytes: Buffer, matches: (given: Buffer) => boolean): void {
  if (matches(bytes)) return;
  // The two ways in which bytes that passed through a text of another encoding can be had back.
  const readings = [Buffer.from(bytes.toString(), 'latin1'), Buffer.from(bytes.toString('latin1'))];
  if (readings.some(matches))
    throw new WebhookError(
      'body_in_another_encoding',
      'The body was read or written as Latin-1 on its way here, and is UTF-8: hand over the bytes themselves',
    );
  throw new WebhookError(
    'wrong_secret_or_changed_body',
    'The signature is not that of this body with this secret: is it the secret of this installation, and is the body byte for byte as it came, not parsed and written anew?',
  );
}

const same = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

function requireRecent(timestamp: string, toleranceSeconds: number, now: Date): void {
  const apart = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (apart <= toleranceSeconds) return;
  throw new WebhookError(
    'timestamp_out_of_window',
    `The attempt was ${Math.round(apart)} s from now, and may be ${toleranceSeconds}: it was recorded and sent again, or a clock is wrong`,
  );
}

function eventOf(bytes: Buffer): WebhookEvent {
  try {
    const event = JSON.parse(bytes.toString());
    if (event?.event === 'order.status_changed') return event;
  } catch {
    // Told of below.
  }
  throw new WebhookError('body_is_no_event', 'The body is signed, and is no event that this client knows');
}

function headerOf(headers: VerifyOptions['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value.join(' ') : value;
}

import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** One attempt to send a webhook. */
export interface SignedAttempt {
  /** The same for each attempt of a delivery. */
  deliveryId: number;
  /** The exact bytes that are sent. */
  body: string;
  at: Date;
}

/**
 * The headers that prove where a webhook comes from. Contract: "Delivery", `X-Service-Signature`; and those of
 * Standard Webhooks beside it, which cover the time as well, so that a receiver can refuse what was recorded and
 * sent again. A second secret, while one replaces the other, adds its signature to those of the standard, which allows
 * several; the contract's own is one, and stays that of the first.
 */
export function signatureHeaders(
  secret: string,
  { deliveryId, body, at }: SignedAttempt,
  second?: string,
): Record<string, string> {
  const id = `msg_${deliveryId}`;
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = (by: string) =>
    createHmac('sha256', standardKey(by)).update(`${id}.${timestamp}.${body}`).digest('base64');
  const secrets = second === undefined ? [secret] : [secret, second];
  return {
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((by) => `v1,${signed(by)}`).join(' '),
  };
}

/** Standard Webhooks keys are bytes, written `whsec_` and base64. A secret in another form is its own UTF-8 bytes. */
const standardKey = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);

import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** One attempt to send a webhook. */
export interface SignedAttempt {
  /** The same for every attempt of a delivery. */
  deliveryId: number;
  /** The exact bytes that are sent. */
  body: string;
  at: Date;
}

/**
 * The headers that prove a webhook's origin. Contract: "Delivery", `X-Service-Signature`. The headers of Standard
 * Webhooks also cover the time, so that a receiver can refuse a replay. The other secrets add their signatures to the
 * standard's header, which allows several: the receiver's own secret, and second ones during a rotation. A signature by one
 * secret never helps to forge one by another. The contract's own signature always uses the first secret.
 */
export function signatureHeaders(
  secret: string,
  { deliveryId, body, at }: SignedAttempt,
  others: readonly string[] = [],
): Record<string, string> {
  const secrets = [secret, ...others];
  return {
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    ...standardHeaders(secrets, { id: `msg_${deliveryId}`, body, at }),
  };
}

/** Signs webhooks to an LP. Without the contract's signature: by the LP's own secret, it would prove an old webhook for ever. */
export const signatureForLp =
  (secrets: readonly string[]) =>
  ({ deliveryId, body, at }: SignedAttempt): Record<string, string> =>
    standardHeaders(secrets, { id: `msg_${deliveryId}`, body, at });

/** The headers of Standard Webhooks for a message, with a signature by each secret. */
export function standardHeaders(
  secrets: readonly string[],
  { id, body, at }: { id: string; body: string; at: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = (by: string) =>
    createHmac('sha256', standardKey(by)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((by) => `v1,${signed(by)}`).join(' '),
  };
}

/** A Standard Webhooks key is `whsec_` and base64. Any other secret stands for its own UTF-8 bytes. */
const standardKey = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);

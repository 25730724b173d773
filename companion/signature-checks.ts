import type { IncomingHttpHeaders } from 'node:http';
import { verifyWebhook, WebhookError } from '../client/src/webhooks.ts';

/** The two kinds of signature, and the headers of each. */
const KINDS = {
  'X-Service-Signature': ['x-service-signature'],
  'Standard Webhooks': ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
} as const;
export type SignatureKind = keyof typeof KINDS;

/** The result of verifying one signature of a webhook. */
export interface SignatureCheck {
  kind: SignatureKind;
  /** The fault; null: the signature is valid. */
  wrong: string | null;
}

/** Verifies each kind without the headers of the other, as a receiver that supports only one kind does. */
export function checkSignatures(
  secret: string,
  body: Uint8Array,
  headers: IncomingHttpHeaders,
): SignatureCheck[] {
  return (Object.keys(KINDS) as SignatureKind[]).map((kind) => {
    const own = Object.fromEntries(KINDS[kind].map((name) => [name, headers[name]]));
    if (Object.values(own).every((value) => value === undefined))
      return { kind, wrong: 'the webhook has no such signature' };
    try {
      verifyWebhook({ secret, body, headers: own });
      return { kind, wrong: null };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return { kind, wrong: error.message };
    }
  });
}

import type { IncomingHttpHeaders } from 'node:http';
import { verifyWebhook, WebhookError } from '../client/src/webhooks.ts';

const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** The kinds of signature, and the headers of each. */
const KINDS = {
  'X-Service-Signature': ['x-service-signature'],
  'Standard Webhooks': STANDARD,
  'own secret': STANDARD,
} as const;
export type SignatureKind = keyof typeof KINDS;

/** The result of verifying one signature of a webhook. */
export interface SignatureCheck {
  kind: SignatureKind;
  /** The fault; null: the signature is valid. */
  wrong: string | null;
}

/** The secret of the installation, and the one of the agent key, if the listener knows it. */
export interface ListenedSecrets {
  shared: string;
  own: string | undefined;
}

/**
 * Verifies each kind without the headers of the other, as a receiver that supports only one kind does. The last kind is the
 * standard's signature by the agent key's own secret.
 */
export function checkSignatures(
  { shared, own: ownSecret }: ListenedSecrets,
  body: Uint8Array,
  headers: IncomingHttpHeaders,
): SignatureCheck[] {
  const kinds = (Object.keys(KINDS) as SignatureKind[]).filter((kind) => kind !== 'own secret' || ownSecret);
  return kinds.map((kind) => {
    const secret = kind === 'own secret' ? ownSecret : shared;
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

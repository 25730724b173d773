import type { IncomingHttpHeaders } from 'node:http';
import { verifyWebhook, WebhookError } from '../client/src/webhooks.ts';

/** The two kinds of signatures, and the headers that make up each. */
const KINDS = {
  'X-Service-Signature': ['x-service-signature'],
  'Standard Webhooks': ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
} as const;
export type SignatureKind = keyof typeof KINDS;

/** What came of looking at one of a webhook's signatures: null, or what is wrong. */
export interface SignatureCheck {
  kind: SignatureKind;
  wrong: string | null;
}

/** Verifies each kind by itself, as a receiver would that looks at it alone. */
export function checkSignatures(
  secret: string,
  body: Uint8Array,
  headers: IncomingHttpHeaders,
): SignatureCheck[] {
  return (Object.keys(KINDS) as SignatureKind[]).map((kind) => {
    const own = Object.fromEntries(KINDS[kind].map((name) => [name, headers[name]]));
    if (Object.values(own).every((value) => value === undefined)) return { kind, wrong: 'it did not come' };
    try {
      verifyWebhook({ secret, body, headers: own });
      return { kind, wrong: null };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return { kind, wrong: error.message };
    }
  });
}

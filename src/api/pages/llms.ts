import { TEST_HASHES, TEST_RECIPIENTS } from '../../domain/sandbox-values.ts';
import { ERRORS_PATH } from '../../http/error-responses.ts';

/** `GET /llms.txt`: a guide to this API for language models that write programs. Format: llmstxt.org. */
export const LLMS_PATH = '/llms.txt';

export const llmsText = ({ publicUrl, sandbox }: { publicUrl: string; sandbox: boolean }): string => {
  const link = (name: string, path: string, about: string) => `- [${name}](${publicUrl}${path}): ${about}`;
  const parts = [
    `# Corridor

> Fiat payouts against crypto. An integrator's server (the agent) asks for a payout, liquidity providers (LPs) compete to
> send the fiat, the agent confirms it and pays the LP in crypto, and Corridor verifies that payment on its chain.

An order passes through matched, claimed, fiat_sent, confirmed, crypto_verify_pending and completed. It can also end as
cancelled, or wait for an admin as disputed. Amounts are JSON numbers, times ISO 8601 in UTC. Send keys as Authorization: Bearer.`,

    `## Reference

${link('OpenAPI document', '/openapi.json', 'every route, its body, its responses and its errors')}
${link('Reference page', '/docs', 'the same for people, with forms to try each route')}
${link('Errors', ERRORS_PATH, 'what each X-Error-Code means, and what to do about it')}`,

    `## Rules for clients

- GET /api/v1/corridors has the methods, institutions, recipient_details and limits of each currency. A bare recipient means
  the default method.
- POST /api/v1/recipients/verify compares the payer's name for a recipient with the holder's. Pass its recipient_check_id to pay.
- The payer sends exactly crypto_required.amount to lp_receive_address, in its own transaction. One transaction pays one
  order: of two orders that settle with the same hash, one completes.
- POST /api/v1/pay with your own Idempotency-Key: the same key and body never pay twice.
- After 503, or without a response, repeat the same call. After 429, first wait for the seconds in Retry-After.
- Corridor posts a webhook to callback_url whenever the status changes. Before parsing, verify
  webhook-signature as Standard Webhooks defines it, with the webhook_secret of the agent key. X-Service-Signature is the
  hexadecimal HMAC-SHA256 of the raw body with the installation's secret, which other integrators know too. Respond with 2xx within 10 s; otherwise Corridor sends the webhook again. An event may arrive twice: repeats have the same order_id, status and timestamp.
- Ignore fields that you do not know: new ones may be added.`,
  ];
  return `${[...parts, ...(sandbox ? [sandboxPart()] : [])].join('\n\n')}\n`;
};

const sandboxPart = (): string => `## Sandbox

This installation simulates chains. While simulated LPs run (npm run sandbox:lp), payments to these recipients have a
known outcome:

${valueLines(TEST_RECIPIENTS)}

A tx_hash that begins with one of these prefixes stands for a transaction. Append any characters:

${valueLines(TEST_HASHES)}

POST /sandbox/transactions puts a transaction on a simulated chain; POST /sandbox/orders/{orderId}/advance
expires an order's next deadline.`;

const valueLines = (values: Record<string, { means: string }>): string =>
  Object.entries(values)
    .map(([value, { means }]) => `- ${value}: ${means.replaceAll('`', '')}`)
    .join('\n');

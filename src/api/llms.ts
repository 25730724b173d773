import { TEST_HASHES, TEST_RECIPIENTS } from '../domain/sandbox-values.ts';
import { ERRORS_PATH } from './error-responses.ts';

/** `GET /llms.txt`: what there is to read about this API, for programs that write programs. Form: llmstxt.org. */
export const LLMS_PATH = '/llms.txt';

export const llmsText = ({ publicUrl, sandbox }: { publicUrl: string; sandbox: boolean }): string => {
  const link = (name: string, path: string, about: string) => `- [${name}](${publicUrl}${path}): ${about}`;
  const parts = [
    `# Corridor

> Fiat payouts against crypto. An integrator's server (the agent) asks for a payout, liquidity providers (LPs) compete to
> send the fiat, the agent confirms it and pays the LP in crypto, and Corridor verifies that payment on its chain.

An order goes matched, claimed, fiat_sent, confirmed, crypto_verify_pending, completed; or it ends as cancelled, or waits
for an admin as disputed. Amounts are JSON numbers, times ISO 8601 in UTC. Keys go into Authorization: Bearer.`,

    `## Reference

${link('OpenAPI document', '/openapi.json', 'every route, its body, its answers and its refusals')}
${link('Reference page', '/docs', 'the same for people, to be tried out')}
${link('Errors', ERRORS_PATH, 'what each X-Error-Code means, and what to do about it')}`,

    `## What to keep to

- POST /api/v1/pay with an Idempotency-Key of your own: the same key and body never pay twice.
- After 503, and where no answer came, repeat the same call; wait as long as Retry-After says after 429.
- Webhooks are posted to callback_url whenever the status changes. Verify X-Service-Signature, the hexadecimal HMAC-SHA256
  of the raw body with the webhook secret, or webhook-signature as Standard Webhooks defines it, before parsing. Answer
  2xx within 10 s, or it comes again. An event may come twice: tell by order_id, status and timestamp.
- Ignore fields that you do not know: new ones may be added.`,
  ];
  return `${[...parts, ...(sandbox ? [sandboxPart()] : [])].join('\n\n')}\n`;
};

const sandboxPart = (): string => `## Sandbox

This installation simulates chains. These recipients of a payment stand for an ending, while simulated LPs are there
(npm run sandbox:lp):

${valueLines(TEST_RECIPIENTS)}

These beginnings of a tx_hash, completed with anything of your own, stand for a transaction:

${valueLines(TEST_HASHES)}

POST /sandbox/transactions puts a transaction on a simulated chain; POST /sandbox/orders/{orderId}/advance lets an
order's next deadline pass.`;

const valueLines = (values: Record<string, { means: string }>): string =>
  Object.entries(values)
    .map(([value, { means }]) => `- ${value}: ${means.replaceAll('`', '')}`)
    .join('\n');

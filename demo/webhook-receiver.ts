import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

const PATIENCE_MS = 30_000;

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  body: { event: string; order_id: number; status: string; timestamp: string; data: Record<string, unknown> };
  raw: string;
  headers: IncomingHttpHeaders;
  signatureIsValid: boolean;
  answered: number;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** The first webhook that satisfies `wanted`, once it is there; rejects when none comes in time. */
  next: (wanted: (webhook: ReceivedWebhook) => boolean) => Promise<ReceivedWebhook>;
  close: () => Promise<void>;
}

/**
 * An agent's side of the webhooks: verifies `X-Service-Signature` over the raw bytes, as the contract asks, and
 * answers with what `answer` says (200 by default; a bad signature is answered 401).
 */
export async function startWebhookReceiver(
  secret: string,
  answer: (received: ReceivedWebhook[]) => number = () => 200,
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const waiting = new Set<() => void>();
  let closed: Error | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const signatureIsValid = verify(raw, request.headers['x-service-signature'], secret);
      const webhook = {
        body: JSON.parse(raw.toString()),
        raw: raw.toString(),
        headers: request.headers,
        signatureIsValid,
        answered: 401,
      };
      received.push(webhook);
      if (signatureIsValid) webhook.answered = answer(received);
      response.writeHead(webhook.answered).end();
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    next: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = received.find(wanted);
          if (!found && !closed) return;
          clearTimeout(tooLate);
          waiting.delete(look);
          if (found) resolve(found);
          else reject(closed);
        };
        const tooLate = setTimeout(() => {
          waiting.delete(look);
          const got = received.map(({ body }) => `${body.order_id} ${body.status}`).join(', ');
          reject(new Error(`no such webhook within ${PATIENCE_MS / 1_000} s; received: ${got || 'none'}`));
        }, PATIENCE_MS);
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        closed = new Error('the receiver of the webhooks has been closed');
        for (const look of waiting) look();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function verify(raw: Buffer, given: string | string[] | undefined, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(raw).digest();
  const signature = Buffer.from(typeof given === 'string' ? given : '', 'hex');
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

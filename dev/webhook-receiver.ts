import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Longer than Temporal and the leases need after the death of a worker. */
const WAIT_MS = 90_000;

/** A webhook as received. */
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
  /** Waits for the first webhook that `matches`, past ones included. Rejects if none arrives in time. */
  next: (matches: (webhook: ReceivedWebhook) => boolean) => Promise<ReceivedWebhook>;
  close: () => Promise<void>;
}

/**
 * Receives webhooks as an agent does. It verifies `X-Service-Signature` over the raw bytes and responds with the status
 * that `answer` returns (200 by default), or with 401 if the signature is wrong. `answerBody` is the body of its answers.
 */
export async function startWebhookReceiver(
  secret: string,
  answer: (received: ReceivedWebhook[]) => number = () => 200,
  answerBody: (webhook: ReceivedWebhook) => string = () => '',
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const waiters = new Set<() => void>();
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
      response.writeHead(webhook.answered).end(answerBody(webhook));
      for (const check of waiters) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    next: (matches) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = received.find(matches);
          if (!found && !closed) return;
          clearTimeout(timer);
          waiters.delete(check);
          if (found) resolve(found);
          else reject(closed);
        };
        const timer = setTimeout(() => {
          waiters.delete(check);
          const got = received.map(({ body }) => `${body.order_id} ${body.status}`).join(', ');
          reject(new Error(`no such webhook within ${WAIT_MS / 1_000} s; received: ${got || 'none'}`));
        }, WAIT_MS);
        waiters.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        closed = new Error('the webhook receiver has been closed');
        for (const check of waiters) check();
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

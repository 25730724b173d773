import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks that accepts all of them. */
export interface WebhookSink {
  /** Accepts webhooks from now on. */
  url: string;
  /** Resolves when the webhook of the order's completion has arrived. */
  completed: (orderId: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** The webhooks of all subjects name the order and its status alike. */
interface Body {
  order_id: number;
  status: string;
}

export async function startWebhookSink(): Promise<WebhookSink> {
  const arrivals = new Map<number, PromiseWithResolvers<void>>();
  const arrivalOf = (orderId: number) => {
    const known = arrivals.get(orderId) ?? Promise.withResolvers<void>();
    arrivals.set(orderId, known);
    return known;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { order_id, status }: Body = JSON.parse(Buffer.concat(chunks).toString());
      if (status === 'completed') arrivalOf(order_id).resolve();
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    completed: (orderId) => arrivalOf(orderId).promise,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

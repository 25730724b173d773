import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { expectStatus } from '../../dev/http-client.ts';
import type { TestLp } from './actors.ts';
import { eventually } from './eventually.ts';

export interface WebhookData {
  cursor?: string;
  order?: { id: number };
  id?: number;
  order_id?: number;
  address?: string;
}

interface ReceivedByLp {
  body: { type: string; timestamp: string; data: WebhookData };
  raw: string;
  headers: IncomingHttpHeaders;
}

/** An LP's server for webhooks. */
export interface LpReceiver {
  url: string;
  received: ReceivedByLp[];
  /** The status of the following responses. `hang`: no response. */
  answer: { status: number | 'hang' };
  /** The types of the received events of an order, such as `order.open`, in order of arrival. */
  of: (orderId: number) => string[];
  /** Waits until it has received an event of an order. */
  next: (orderId: number, type: string) => Promise<ReceivedByLp>;
  close: () => void;
}

/** Returns a function that starts receivers, which all close after the file's last test. */
export function lpReceiversForFile(): () => Promise<LpReceiver> {
  const receivers: LpReceiver[] = [];
  afterAll(() => {
    for (const receiver of receivers) receiver.close();
  });
  return async () => {
    const receiver = await startLpReceiver();
    receivers.push(receiver);
    return receiver;
  };
}

export async function startLpReceiver(): Promise<LpReceiver> {
  const received: ReceivedByLp[] = [];
  const answer: LpReceiver['answer'] = { status: 204 };
  const reply = (response: ServerResponse) => {
    if (answer.status !== 'hang') response.writeHead(answer.status).end();
  };
  const server = createServer(async (request, response) => {
    const raw = await text(request);
    received.push({ body: JSON.parse(raw), raw, headers: request.headers });
    reply(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const about = (orderId: number) => received.filter(({ body }) => orderOf(body.data) === orderId);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer,
    of: (orderId) => about(orderId).map(({ body }) => body.type),
    next: (orderId, type) => eventually(async () => about(orderId).find(({ body }) => body.type === type)),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const orderOf = (data: WebhookData): unknown => data.order?.id ?? data.id ?? data.order_id;

/** Verifies a webhook as docs/webhooks.md describes. Throws if the signature is wrong. */
export const verified = (secret: string, { raw, headers }: ReceivedByLp): unknown =>
  new Webhook(secret).verify(raw, headers as Record<string, string>);

/** Turns an LP's webhooks on. Returns the secret. */
export async function turnOn(lp: TestLp, url: string, body: object = {}): Promise<string> {
  const path = `/api/lp/${lp.key}/webhook`;
  return (await expectStatus(201, lp.call('POST', path, { url, ...body }))).secret;
}

import { randomBytes } from 'node:crypto';
import { expectStatus } from './http.ts';
import type { DemoAgent } from './parties.ts';
import type { Scene, Stage } from './stage.ts';
import type { ReceivedWebhook } from './webhook-receiver.ts';

/** What was paid for. */
export interface Payment {
  id: number;
  /** What the payer owes. */
  owed: { amount: number; symbol: string; chain: string };
}

/** An order of the story. */
export interface DemoOrder extends Payment {
  /** Waits for the next webhook of this order that carries the status, insists on its signature, and shows it. */
  webhook: (status: string) => Promise<ReceivedWebhook['body']>;
}

/** The agent pays, by default 6475 KES, 50 USD at the usual rate; `changes` are more fields of the request. */
export async function makePayment(
  { show, workflowUrl }: Scene,
  agent: DemoAgent,
  changes: object = {},
): Promise<Payment> {
  const payment = await expectStatus(
    201,
    agent.call(
      'POST',
      '/api/v1/pay',
      {
        amount: 6475,
        currency: 'KES',
        recipient: '+254700000001',
        recipient_name: 'Demo recipient',
        user_id: agent.userId,
        ...changes,
      },
      { 'idempotency-key': randomBytes(8).toString('hex') },
    ),
  );
  const { order_id: id, crypto_required: owed, rate } = payment;
  show(`order ${id} is ${payment.status}: ${owed.amount} ${owed.symbol} on ${owed.chain} at ${rate}`);
  show(`in the Temporal UI: ${workflowUrl(id)}`);
  return { id, owed };
}

/** The same, with the webhooks to the stage's receiver. */
export async function pay(stage: Stage, agent: DemoAgent, changes: object = {}): Promise<DemoOrder> {
  const { receiver, show } = stage;
  const payment = await makePayment(stage, agent, { callback_url: receiver.url, ...changes });
  const heard = new Set<ReceivedWebhook>();
  return {
    ...payment,
    webhook: async (status) => {
      const webhook = await receiver.next(
        (received) =>
          received.body.order_id === payment.id && received.body.status === status && !heard.has(received),
      );
      heard.add(webhook);
      const { body, signatureIsValid } = webhook;
      if (!signatureIsValid) throw new Error(`the webhook "${status}" has a wrong signature`);
      show(`webhook: ${body.status} at ${body.timestamp}, signature verified`);
      return body;
    },
  };
}

import { randomBytes } from 'node:crypto';
import type { DemoAgent } from './actors.ts';
import type { Context, StoryContext } from './context.ts';
import { expectStatus } from './http-client.ts';
import type { ReceivedWebhook } from './webhook-receiver.ts';

/** The order of a payment. */
export interface Payment {
  id: number;
  /** The crypto amount that the payer owes. */
  owed: { amount: number; symbol: string; chain: string };
}

/** An order whose webhooks arrive at the receiver of the story. */
export interface DemoOrder extends Payment {
  /** Waits for the next webhook of this order with this status, verifies its signature, and prints it. */
  webhook: (status: string) => Promise<ReceivedWebhook['body']>;
}

/** Creates a payment, by default 6475 KES (50 USD at a rate of 129.5). `changes` override fields of the request. */
export async function makePayment(
  { print, workflowUrl }: Context,
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
  const { order_id: id, crypto_required: owed, fiat_delivery: fiat, rate } = payment;
  print(`order ${id} is ${payment.status}: ${owed.amount} ${owed.symbol} on ${owed.chain} at ${rate}`);
  print(
    `the LP delivers ${fiat.amount} ${fiat.currency} by ${[fiat.method, fiat.institution].filter(Boolean).join(', ')}`,
  );
  print(`in the Temporal UI: ${workflowUrl(id)}`);
  return { id, owed };
}

/** Creates a payment whose webhooks go to the receiver of the story. */
export async function pay(context: StoryContext, agent: DemoAgent, changes: object = {}): Promise<DemoOrder> {
  const { receiver, print } = context;
  const payment = await makePayment(context, agent, {
    ...{ institution: 'mpesa', callback_url: receiver.url },
    ...changes,
  });
  const seen = new Set<ReceivedWebhook>();
  return {
    ...payment,
    webhook: async (status) => {
      const webhook = await receiver.next(
        (received) =>
          received.body.order_id === payment.id && received.body.status === status && !seen.has(received),
      );
      seen.add(webhook);
      const { body, signatureIsValid } = webhook;
      if (!signatureIsValid) throw new Error(`the webhook "${status}" has a wrong signature`);
      print(`webhook: ${body.status} at ${body.timestamp}, signature verified`);
      return body;
    },
  };
}

/** A shop's server: it pays out, receives webhooks, and confirms and settles orders. See README.md in this folder. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CorridorError,
  createAgentClient,
  type Order,
  type OrderStatus,
  verifyWebhook,
  WebhookError,
} from 'corridor-client';
import { openJournal } from './journal.ts';

const requireSetting = (name: string): string => {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`Set the environment variable ${name}. README.md in this folder shows how`);
};
const url = requireSetting('CORRIDOR_URL');
const secret = requireSetting('CORRIDOR_WEBHOOK_SECRET');
const port = Number(process.env.PORT ?? 3000);
const webhooks = `${process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}`}/webhooks`;
/** Your own systems send it as a bearer token. Corridor must reach this port, so others may reach it too. */
const ownKey = requireSetting('SHOP_KEY');
const corridor = createAgentClient({ baseUrl: url, key: requireSetting('CORRIDOR_KEY') });

interface Payout {
  /** The shop's id of the payout: two requests with one reference make one payment. */
  reference: string;
  amount: number;
  currency: string;
  recipient: string;
}

const pay = ({ reference, ...payout }: Payout) =>
  corridor.pay(
    { ...payout, user_id: Number(requireSetting('CORRIDOR_USER_ID')), callback_url: webhooks },
    { idempotencyKey: reference },
  );

/** Takes the shop's next step for an order. It may run twice for a status, since webhooks can repeat. */
async function takeNextStep(orderId: number, status: OrderStatus): Promise<void> {
  console.log(`order ${orderId} is ${status}`);
  // The LP reports that it has paid. Ask the recipient before you confirm. The webhook may be old: see `settle`.
  if (status === 'fiat_sent' && (await corridor.status(orderId)).status === status)
    await corridor.confirm(orderId);
  if (status === 'confirmed') await settle(orderId);
}

const journal = openJournal('shop-payments.log');

/** Pays the LP of a confirmed order, once, and names the transaction. */
async function settle(orderId: number): Promise<void> {
  const order = await corridor.order(orderId);
  // The webhook may be old: by now the order may be settled or disputed. An order without a deadline is frozen.
  if (order.status !== 'confirmed' || order.timeout_at === null) return;
  // With the time, because a new sandbox counts its orders from 1 again.
  const hash = await journal.payOnce(`${orderId} of ${order.created_at}`, () => sendCrypto(order));
  await corridor.settle(orderId, hash);
}

/** Sends the crypto and returns the transaction's hash. The sandbox simulates this; yours is a call to your wallet. */
async function sendCrypto({ crypto_chain: chain, crypto_symbol: symbol, ...order }: Order): Promise<string> {
  // On `xrpl`, a payment without the address's destination tag does not reach the LP. Without a tag, JSON omits the field.
  const { lp_receive_address: to, destination_tag, amount_crypto: amount } = order;
  const response = await fetch(`${url}/sandbox/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chain, symbol, to, destination_tag, amount }),
  });
  if (!response.ok) throw new Error(`The transaction was not sent: ${await response.text()}`);
  return ((await response.json()) as { tx_hash: string }).tx_hash;
}

const handleRequest = async (request: IncomingMessage): Promise<[status: number, answer: unknown]> => {
  const route = `${request.method} ${request.url}`;
  const body = await readBody(request);
  if (route === 'POST /webhooks') {
    const event = verifyWebhook({ secret, body, headers: request.headers });
    await takeNextStep(event.order_id, event.status);
    return [200, {}];
  }
  if (!isOwn(request)) return [401, { error: 'Send SHOP_KEY as a bearer token' }];
  if (route === 'POST /payouts') {
    const payout: Payout = JSON.parse(body.toString());
    // Without one, a request that is sent again would pay again.
    if (!payout.reference) return [400, { error: 'The payout has no reference' }];
    return [201, await pay(payout)];
  }
  const [, id] = /^GET \/payouts\/(\d+)$/.exec(route) ?? [];
  return id ? [200, await corridor.status(Number(id))] : [404, { error: 'Not found' }];
};

function isOwn({ headers: { authorization = '' } }: IncomingMessage): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${ownKey}`));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

createServer(async (request, response) => {
  const [status, answer] = await handleRequest(request).catch((error: Error) => {
    console.error(error.message);
    // 401: the webhook is not from Corridor. 502: Corridor refused a call. After a 500, Corridor sends a webhook again.
    const code = error instanceof WebhookError ? 401 : error instanceof CorridorError ? 502 : 500;
    return [code, { error: error.message }] as const;
  });
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}).listen(port, '127.0.0.1', () => console.log(`taking payouts on port ${port}`));

/** Handles the orders whose webhooks this server missed while it was down, and those that Corridor gave up. */
async function catchUp(): Promise<void> {
  for (const status of ['fiat_sent', 'confirmed'] as const)
    for await (const { order_id } of corridor.orders({ status }))
      await takeNextStep(order_id, status).catch((error) =>
        console.error(`order ${order_id}: ${error.message}`),
      );
}
for (;;) {
  await catchUp().catch((error) => console.error(`the orders could not be read: ${error.message}`));
  await delay(60_000);
}

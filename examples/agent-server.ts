/** A shop's server: takes payouts, hears of them by webhook, confirms and settles them. See README.md beside it. */
import { createServer, type IncomingMessage } from 'node:http';
import {
  CorridorError,
  createAgentClient,
  type OrderStatus,
  verifyWebhook,
  WebhookError,
} from 'corridor-client';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is not set`);
};
const url = setting('CORRIDOR_URL');
const secret = setting('CORRIDOR_WEBHOOK_SECRET');
const port = Number(process.env.PORT ?? 3000);
const webhooks = `${process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}`}/webhooks`;
const corridor = createAgentClient({ baseUrl: url, key: setting('CORRIDOR_KEY') });

interface Payout {
  /** The shop's own name for it: asked for twice, it is paid once. */
  reference: string;
  amount: number;
  currency: string;
  recipient: string;
}

const pay = ({ reference, ...payout }: Payout) =>
  corridor.pay(
    { ...payout, user_id: Number(setting('CORRIDOR_USER_ID')), callback_url: webhooks },
    { idempotencyKey: reference },
  );

/** What the shop does next for an order. May be asked for more than once: webhooks are repeated. */
async function advance(orderId: number, status: OrderStatus): Promise<void> {
  console.log(`order ${orderId} is ${status}`);
  // The LP says that it has paid. Ask the recipient before you confirm.
  if (status === 'fiat_sent') await corridor.confirm(orderId);
  if (status === 'confirmed') await corridor.settle(orderId, await payLp(orderId));
}

/** By order, so that none is paid twice. A real shop keeps them where a restart does not lose them. */
const paid = new Map<number, Promise<string>>();

function payLp(orderId: number): Promise<string> {
  const hash = paid.get(orderId) ?? sendCrypto(orderId);
  paid.set(orderId, hash);
  hash.catch(() => paid.delete(orderId));
  return hash;
}

/** In the sandbox, a transaction is what one says it is. Here your wallet sends it, and gives its hash. */
async function sendCrypto(orderId: number): Promise<string> {
  const { crypto_chain: chain, crypto_symbol: symbol, ...order } = await corridor.order(orderId);
  const [to, amount] = [order.lp_receive_address, order.amount_crypto];
  const response = await fetch(`${url}/sandbox/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chain, symbol, to, amount }),
  });
  if (!response.ok) throw new Error(`The transaction was not sent: ${await response.text()}`);
  return ((await response.json()) as { tx_hash: string }).tx_hash;
}

const handle = async (request: IncomingMessage): Promise<[status: number, answer: unknown]> => {
  const route = `${request.method} ${request.url}`;
  const body = await bytesOf(request);
  if (route === 'POST /webhooks') {
    const event = verifyWebhook({ secret, body, headers: request.headers });
    await advance(event.order_id, event.status);
    return [200, {}];
  }
  if (route === 'POST /payouts') return [201, await pay(JSON.parse(body.toString()))];
  const [, id] = /^GET \/payouts\/(\d+)$/.exec(route) ?? [];
  return id ? [200, await corridor.status(Number(id))] : [404, { error: 'Not found' }];
};

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

createServer(async (request, response) => {
  const [status, answer] = await handle(request).catch((error: Error) => {
    console.error(error.message);
    // Of a webhook that is not Corridor's; of what Corridor refuses; and of what Corridor is to send again.
    const code = error instanceof WebhookError ? 401 : error instanceof CorridorError ? 502 : 500;
    return [code, { error: error.message }] as const;
  });
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}).listen(port, () => console.log(`taking payouts on port ${port}`));

// What happened while this server was away.
for (const status of ['fiat_sent', 'confirmed'] as const)
  for await (const order of corridor.orders({ status })) await advance(order.order_id, status);

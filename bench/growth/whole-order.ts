import { setTimeout as delay } from 'node:timers/promises';
import { callWithRetries, type HttpClient } from '../../dev/kept-http-client.ts';
import { must } from '../subjects.ts';

/** The actors of an order, and the HTTP client for each call. */
export interface Parties {
  agent: { key: string; userId: number };
  lp: { key: string; address: string };
  http: () => HttpClient;
}

/** Milliseconds of each call; `completed` runs from the settlement's answer until a read shows the order completed. */
export type OrderTimes = Record<'pay' | 'claim' | 'fiatSent' | 'confirm' | 'settle' | 'completed', number>;

const FIAT = 1_295;
const LOOK_EVERY_MS = 40;
const COMPLETED_WITHIN_MS = 60_000;

/** Takes an order from payment to completion. Repeats a call that is answered 503, as the contract allows. */
export async function wholeOrder({ agent, lp, http }: Parties): Promise<OrderTimes & { orderId: number }> {
  const call = (...what: Parameters<HttpClient['call']>) => callWithRetries(() => http().call(...what));
  const payment = { amount: FIAT, currency: 'KES', recipient: '+254700123456', user_id: agent.userId };
  const paid = must(201, await call('POST', '/api/v1/pay', agent.key, payment));
  const { order_id: id, crypto_required } = paid.body;
  const claimed = must(200, await call('POST', `/api/orders/${id}/claim`, lp.key, {}));
  const fiatSent = must(200, await call('POST', `/api/orders/${id}/fiat-sent`, lp.key, {}));
  const confirmed = must(200, await call('POST', `/api/v1/confirm/${id}`, agent.key, {}));
  const transaction = { chain: 'trx', symbol: 'usdt', to: lp.address, amount: crypto_required.amount };
  const made = must(201, await call('POST', '/sandbox/transactions', undefined, transaction));
  const { tx_hash } = made.body;
  const settled = must(200, await call('POST', `/api/v1/settle/${id}`, agent.key, { tx_hash }));
  const began = performance.now();
  for (let status = ''; status !== 'completed'; ) {
    const looked = must(200, await call('GET', `/api/v1/status/${id}`, agent.key));
    status = looked.body.status;
    if (performance.now() - began > COMPLETED_WITHIN_MS) throw new Error(`order ${id} is still ${status}`);
    if (status !== 'completed') await delay(LOOK_EVERY_MS);
  }
  return {
    orderId: id,
    ...{ pay: paid.ms, claim: claimed.ms, fiatSent: fiatSent.ms, confirm: confirmed.ms, settle: settled.ms },
    completed: performance.now() - began,
  };
}

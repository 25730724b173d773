import { randomUUID } from 'node:crypto';
import type {
  Order,
  OrderStatus,
  OrderStatusView,
  OrdersPage,
  OrdersQuery,
  Payment,
  PayRequest,
  RateLock,
  RatesRequest,
  ReplayedPayment,
  SettleAnswer,
  Timeline,
  WebhookDeliveries,
} from './contract.ts';
import { createTransport, pause, requireKey, type TransportOptions } from './transport.ts';

export type AgentOptions = TransportOptions;

export interface PayOptions {
  /**
   * Stands for this one payment, however often it is asked for. Made by the client where it is not given, which covers
   * what the client itself repeats; to go on after your own process died, keep one of your own beside your order.
   */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface WaitOptions {
  /** Between two looks, in milliseconds (1 000). */
  everyMs?: number;
  signal?: AbortSignal;
}

/** An agent's payments. Orders are named by `order_id`. Every method throws a `CorridorError` where it is refused. */
export interface AgentClient {
  /** Quotes a payout and holds the quote for a while; pay with its `rate_lock_id`. */
  quote: (request: RatesRequest) => Promise<RateLock>;
  pay: (request: PayRequest, options?: PayOptions) => Promise<Payment | ReplayedPayment>;
  status: (orderId: number) => Promise<OrderStatusView>;
  /** The whole order; once it is claimed, its `lp_receive_address` is where to pay `amount_crypto`. */
  order: (orderId: number) => Promise<Order>;
  timeline: (orderId: number) => Promise<Timeline>;
  /** The recipient has the fiat. */
  confirm: (orderId: number) => Promise<{ status: 'confirmed' }>;
  settle: (orderId: number, txHash: string) => Promise<SettleAnswer>;
  cancel: (orderId: number, reason?: string) => Promise<{ status: 'cancelled' }>;
  dispute: (orderId: number, reason: string) => Promise<{ status: 'disputed' }>;
  /**
   * Looks until the order has one of these statuses, or has ended in another: the status view tells. Throws the signal's
   * reason when that is aborted. A webhook costs less.
   */
  waitFor: (
    orderId: number,
    statuses: readonly OrderStatus[],
    options?: WaitOptions,
  ) => Promise<OrderStatusView>;
  /** All orders that match, newest first, page after page as they are asked for. */
  orders: (query?: Omit<OrdersQuery, 'cursor'>) => AsyncIterable<OrderStatusView>;
  /** The webhooks of an order, with every attempt and what your server answered. */
  webhookDeliveries: (orderId: number) => Promise<WebhookDeliveries>;
  /**
   * Has a webhook sent again, by the `id` of its delivery: the same bytes, with up to three attempts anew.
   * `delivery_pending`: it is being sent already, be it by this call itself, whose first answer was lost.
   */
  redeliver: (deliveryId: number) => Promise<{ ok: true }>;
}

const ENDS: readonly OrderStatus[] = ['completed', 'cancelled'];

export function createAgentClient(options: AgentOptions): AgentClient {
  const call = createTransport({ ...options, key: requireKey(options.key) });
  const post = <Answer>(verb: string, orderId: number, body: object = {}) =>
    call<Answer>('POST', `/api/v1/${verb}/${orderId}`, { body });
  const status = (orderId: number, signal?: AbortSignal) =>
    call<OrderStatusView>('GET', `/api/v1/status/${orderId}`, { signal });

  return {
    quote: (body) => call('POST', '/api/v1/rates', { body }),
    pay: (body, { idempotencyKey = randomUUID(), signal } = {}) =>
      call('POST', '/api/v1/pay', { body, signal, headers: { 'idempotency-key': idempotencyKey } }),
    status: (orderId) => status(orderId),
    order: (orderId) => call('GET', `/api/orders/${orderId}`),
    timeline: (orderId) => call('GET', `/api/v1/orders/${orderId}/timeline`),
    confirm: (orderId) => post('confirm', orderId),
    settle: (orderId, tx_hash) => post('settle', orderId, { tx_hash }),
    cancel: (orderId, reason) => post('cancel', orderId, reason === undefined ? {} : { reason }),
    dispute: (orderId, reason) => post('dispute', orderId, { reason }),
    waitFor: async (orderId, statuses, { everyMs = 1_000, signal } = {}) => {
      for (;;) {
        const view = await status(orderId, signal);
        if (statuses.includes(view.status) || ENDS.includes(view.status)) return view;
        await pause(everyMs, signal);
      }
    },
    orders: (query = {}) => pages(query),
    webhookDeliveries: (orderId) => call('GET', `/api/v1/webhook-deliveries?order_id=${orderId}`),
    redeliver: (deliveryId) =>
      call('POST', `/api/v1/webhook-deliveries/${deliveryId}/redeliver`, { body: {} }),
  };

  async function* pages(query: Omit<OrdersQuery, 'cursor'>): AsyncGenerator<OrderStatusView> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    for (;;) {
      const { orders, next_cursor } = await call<OrdersPage>('GET', `/api/v1/orders?${search}`);
      yield* orders;
      if (next_cursor === null) return;
      search.set('cursor', next_cursor);
    }
  }
}

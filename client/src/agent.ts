import { randomUUID } from 'node:crypto';
import type {
  CancelAnswer,
  ConfirmAnswer,
  Corridors,
  DisputeAnswer,
  Done,
  Order,
  OrderStatus,
  OrderStatusView,
  OrdersPage,
  OrdersQuery,
  OwnKey,
  Payment,
  PayRequest,
  RateLock,
  RatesRequest,
  RecipientCheck,
  ReplayedPayment,
  SettleAnswer,
  Timeline,
  VerifyRecipientRequest,
  WebhookDeliveries,
  WebhookDeliveriesQuery,
  WebhookDelivery,
} from './contract.ts';
import { listAll } from './list-all.ts';
import { createTransport, pause, requireKey, type TransportOptions } from './transport.ts';

export type AgentOptions = TransportOptions;

export interface PayOptions {
  /**
   * Identifies this payment: calls with the same key make one payment. By default the client generates a key, which makes
   * its own retries safe. To retry after a crash of your process, store a key with your order and pass it here.
   */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface WaitOptions {
  /** The time between two polls, in milliseconds. Default: 1,000. */
  everyMs?: number;
  signal?: AbortSignal;
}

/** The API of an agent. `orderId` is an order's `order_id`. Every method throws a `CorridorError` if the service refuses. */
export interface AgentClient {
  /** Returns the currencies with their methods, institutions, recipients and limits. */
  corridors: () => Promise<Corridors>;
  /** Quotes a payout and locks the rate for a short time. Pass its `rate_lock_id` to `pay`. */
  quote: (request: RatesRequest) => Promise<RateLock>;
  /**
   * Compares the expected name with the name of a recipient's account holder. Pass the `recipient_check_id` to `pay`,
   * and the LP that claims the order sees the result.
   */
  verifyRecipient: (request: VerifyRecipientRequest) => Promise<RecipientCheck>;
  pay: (request: PayRequest, options?: PayOptions) => Promise<Payment | ReplayedPayment>;
  status: (orderId: number) => Promise<OrderStatusView>;
  /**
   * Returns the whole order. After the claim, pay `amount_crypto` to its `lp_receive_address`, with its `destination_tag`
   * if it has one.
   */
  order: (orderId: number) => Promise<Order>;
  timeline: (orderId: number) => Promise<Timeline>;
  /** Confirms that the recipient has received the fiat. */
  confirm: (orderId: number) => Promise<ConfirmAnswer>;
  /**
   * Reports the transaction that paid the LP. Another hash replaces a mistyped one, as long as the mistyped one is not
   * found on its chain. If a call got no answer, its repeat can be a 409 because the order has completed: read its
   * status.
   */
  settle: (orderId: number, txHash: string) => Promise<SettleAnswer>;
  cancel: (orderId: number, reason?: string) => Promise<CancelAnswer>;
  dispute: (orderId: number, reason: string) => Promise<DisputeAnswer>;
  /**
   * Polls until the order has one of these statuses or is `completed` or `cancelled`, so check the status of the result. A
   * `disputed` order has not ended: without this status, the wait goes on until an admin resolves the order. Throws the
   * signal's reason if it is aborted. A webhook needs fewer requests.
   */
  waitFor: (
    orderId: number,
    statuses: readonly OrderStatus[],
    options?: WaitOptions,
  ) => Promise<OrderStatusView>;
  /** Yields all matching orders, newest first. Reads each page only when the loop reaches it. */
  orders: (query?: Omit<OrdersQuery, 'cursor'>) => AsyncIterable<OrderStatusView>;
  /** Returns all webhooks of an order, oldest first, with every attempt and your server's answer. */
  webhookDeliveries: (orderId: number) => Promise<WebhookDeliveries>;
  /**
   * Yields the webhooks of all your orders, those of the newest order first, for example the `exhausted` ones. Reads each
   * page only when the loop reaches it.
   */
  allWebhookDeliveries: (query?: AllDeliveriesQuery) => AsyncIterable<WebhookDelivery>;
  /**
   * Sends a webhook again, by the `id` of its delivery: the same bytes, in up to three new attempts. Throws
   * `delivery_pending` if the service is already sending it, for example because the first answer to this call was
   * lost.
   */
  redeliver: (deliveryId: number) => Promise<Done>;
  /** Returns what your key may do, its limits, and how much of the limit of unsettled USD is left. */
  key: () => Promise<OwnKey>;
}

export type AllDeliveriesQuery = Omit<WebhookDeliveriesQuery, 'cursor' | 'order_id'>;

const FINAL_STATUSES: readonly OrderStatus[] = ['completed', 'cancelled'];

export function createAgentClient(options: AgentOptions): AgentClient {
  const call = createTransport({ ...options, key: requireKey(options.key) });
  const post = <Answer>(verb: string, orderId: number, body: object = {}) =>
    call<Answer>('POST', `/api/v1/${verb}/${orderId}`, { body });
  const readStatus = (orderId: number, signal?: AbortSignal) =>
    call<OrderStatusView>('GET', `/api/v1/status/${orderId}`, { signal });

  return {
    corridors: () => call('GET', '/api/v1/corridors'),
    quote: (body) => call('POST', '/api/v1/rates', { body }),
    verifyRecipient: (body) => call('POST', '/api/v1/recipients/verify', { body }),
    pay: (body, { idempotencyKey = randomUUID(), signal } = {}) =>
      call('POST', '/api/v1/pay', { body, signal, idempotencyKey }),
    status: (orderId) => readStatus(orderId),
    order: (orderId) => call('GET', `/api/orders/${orderId}`),
    timeline: (orderId) => call('GET', `/api/v1/orders/${orderId}/timeline`),
    confirm: (orderId) => post('confirm', orderId),
    settle: (orderId, tx_hash) => post('settle', orderId, { tx_hash }),
    cancel: (orderId, reason) => post('cancel', orderId, reason === undefined ? {} : { reason }),
    dispute: (orderId, reason) => post('dispute', orderId, { reason }),
    waitFor: async (orderId, statuses, { everyMs = 1_000, signal } = {}) => {
      for (;;) {
        const view = await readStatus(orderId, signal);
        if (statuses.includes(view.status) || FINAL_STATUSES.includes(view.status)) return view;
        await pause(everyMs, signal);
      }
    },
    orders: (query = {}) =>
      listAll<OrdersPage, OrderStatusView>(call, '/api/v1/orders', query, ({ orders }) => orders),
    webhookDeliveries: (orderId) => call('GET', `/api/v1/webhook-deliveries?order_id=${orderId}`),
    allWebhookDeliveries: (query = {}) =>
      listAll<WebhookDeliveries, WebhookDelivery>(
        call,
        '/api/v1/webhook-deliveries',
        query,
        ({ deliveries }) => deliveries,
      ),
    redeliver: (deliveryId) =>
      call('POST', `/api/v1/webhook-deliveries/${deliveryId}/redeliver`, { body: {} }),
    key: () => call('GET', '/api/v1/key'),
  };
}

import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { PaymentResponse, PayRequest } from '../contract/payments.ts';
import { createOrder, findReplay, type NewOrder, nextOrderId } from '../db/commands/create-order.ts';
import type { Database } from '../db/orm.ts';
import { bestOffer } from '../db/queries/best-offer.ts';
import { STABLECOINS } from '../domain/assets.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal, SCALE } from '../domain/money.ts';
import type { StageDurations } from '../domain/order-state.ts';
import { maskRecipient } from '../domain/order-view.ts';
import { quote, rateLabel } from '../domain/quote.ts';
import type { OrderGateway } from './gateway.ts';
import { startOrder } from './start-order.ts';

/** Far above any payout, and far below what the columns hold. */
const MAX_ORDER_USD = 1_000_000_000;

export interface PayDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
  settings: { publicUrl: string; platformFeeBps: number; durations: StageDurations };
}

export interface Payment {
  response: PaymentResponse;
  /** The request was answered before; `response` is that answer, its recipient masked. */
  replayed: boolean;
}

/**
 * Creates a payment: quotes it, records the order, starts its workflow. Contract: "POST /api/v1/pay".
 * With an idempotency key the same request creates one order, however often and however concurrently it comes.
 */
export type Pay = (
  agentKeyId: number,
  request: PayRequest,
  idempotencyKey: string | undefined,
) => Promise<Payment>;

export function createPay({ db, gateway, log, settings }: PayDeps): Pay {
  return async (agentKeyId, request, key) => {
    const requestHash = createHash('sha256').update(JSON.stringify(request)).digest();
    const earlier = key && (await findReplay(db, agentKeyId, key));
    if (earlier) return replay(earlier, requestHash);

    // Known to be away: refused before anything is written. Found to be away only after the commit: the order
    // stands, and the reconciler starts its workflow when Temporal is back.
    if (!(await gateway.isReachable())) throw new DomainError('unavailable', undefined, { retryAfter: 2 });

    const order = await quotedOrder(agentKeyId, request);
    const response = paymentResponse(order, settings.publicUrl);
    const record = key ? { key, requestHash, response: masked(response) } : null;
    const created = await createOrder(db, order, record);
    if (!created) {
      const first = key && (await findReplay(db, agentKeyId, key));
      if (!first) throw new Error('An order was refused for an idempotency key that is not there');
      return replay(first, requestHash);
    }
    const row = { ...order, version: 1, excluded_lp_ids: [], reoffers: 0, rejections: 0 };
    await startOrder(gateway, row, settings.durations, { webhooks: [], ...created }).catch((error) =>
      log.warn({ err: error, orderId: order.id }, 'the workflow was not started; the reconciler will'),
    );
    return { response, replayed: false };
  };

  async function quotedOrder(agentKeyId: number, request: PayRequest): Promise<NewOrder> {
    const { crypto_symbol, crypto_chain, currency } = request;
    if (!(STABLECOINS as readonly string[]).includes(crypto_symbol))
      throw new DomainError('pricing_unavailable');
    if (request.rate_lock_id !== undefined) throw new DomainError('bad_rate_lock');
    const offer = await bestOffer(db, request, { symbol: crypto_symbol, chain: crypto_chain });
    if (!offer) throw new DomainError('no_lp_available');
    const amounts = quote({
      amountFiat: request.amount,
      rateUsd: offer.rate_usd,
      spreadBps: offer.spread_bps,
      feeBps: settings.platformFeeBps,
      cryptoUsd: '1',
      cryptoDecimals: SCALE.crypto,
    });
    if (decimal(amounts.amount_usd).gt(MAX_ORDER_USD)) {
      const fieldErrors = { amount: [`must be worth at most ${MAX_ORDER_USD} USD`] };
      throw new DomainError('validation_failed', undefined, { details: { fieldErrors, formErrors: [] } });
    }
    const expires_at = new Date(Date.now() + settings.durations.claim);
    return {
      id: await nextOrderId(db),
      payment_id: `pay_${randomBytes(12).toString('hex')}`,
      agent_key_id: agentKeyId,
      user_id: request.user_id,
      ...offer,
      ...amounts,
      amount_fiat: request.amount,
      currency,
      crypto_symbol,
      crypto_chain,
      recipient: request.recipient,
      recipient_name: request.recipient_name ?? null,
      method: request.method,
      callback_url: request.callback_url ?? null,
      status: 'matched',
      expires_at,
      timeout_at: expires_at,
    };
  }
}

function replay(
  earlier: { request_hash: Buffer; response: Record<string, unknown> },
  requestHash: Buffer,
): Payment {
  if (!requestHash.equals(earlier.request_hash)) throw new DomainError('idempotency_conflict');
  return { response: earlier.response as unknown as PaymentResponse, replayed: true };
}

const masked = (response: PaymentResponse): PaymentResponse => ({
  ...response,
  fiat_delivery: { ...response.fiat_delivery, recipient: maskRecipient(response.fiat_delivery.recipient) },
});

function paymentResponse(order: NewOrder, publicUrl: string): PaymentResponse {
  if (!order.lp_id) throw new Error(`Order ${order.id} was quoted without an LP`);
  return {
    payment_id: order.payment_id,
    order_id: order.id,
    status: 'matched',
    crypto_required: {
      amount: Number(order.amount_crypto),
      symbol: order.crypto_symbol,
      chain: order.crypto_chain,
    },
    fiat_delivery: {
      amount: Number(order.amount_fiat),
      currency: order.currency,
      recipient: order.recipient,
      recipient_name: order.recipient_name ?? null,
      method: order.method,
    },
    rate: rateLabel(order.rate_usd, order.currency),
    deposit_address: null,
    lp: { id: order.lp_id, rate: Number(order.rate_usd) },
    callback_url: order.callback_url ?? null,
    expires_at: order.expires_at.toISOString(),
    track_url: `${publicUrl}/api/orders/${order.id}`,
  };
}

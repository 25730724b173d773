import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { PaymentResponse, PayRequest } from '../contract/payments.ts';
import { crashPoint } from '../crash-point.ts';
import { createOrder, findReplay, type NewOrder, nextOrderId } from '../db/commands/create-order.ts';
import type { AgentKey } from '../db/entities/agent-key.ts';
import type { Database } from '../db/orm.ts';
import { DomainError } from '../domain/errors.ts';
import type { StageDurations } from '../domain/order-state.ts';
import { maskRecipient } from '../domain/order-view.ts';
import { rateLabel } from '../domain/quote.ts';
import { aboutOrder, carriedTrace } from '../tracing/tracing.ts';
import { requireExposure } from './exposure.ts';
import type { OrderGateway } from './gateway.ts';
import type { RateLocks } from './rate-locks.ts';
import { startOrder } from './start-order.ts';

export interface PayDeps {
  /** Tells the order feed that there is something new. */
  announce: () => void;
  db: Database;
  gateway: OrderGateway;
  rateLocks: RateLocks;
  log: Logger;
  settings: { publicUrl: string; durations: StageDurations };
}

export interface Payment {
  response: PaymentResponse;
  /** The request was answered before; `response` is that answer, its recipient masked. */
  replayed: boolean;
}

/** `max_exposure_usd`: the cap on its unsettled USD; null: none. */
export type PayingAgent = Pick<AgentKey, 'id' | 'max_exposure_usd'>;

/**
 * Creates a payment: quotes it, records the order, starts its workflow. Contract: "POST /api/v1/pay".
 * With an idempotency key the same request creates one order, however often and however concurrently it comes.
 */
export type Pay = (
  agent: PayingAgent,
  request: PayRequest,
  idempotencyKey: string | undefined,
) => Promise<Payment>;

export function createPay({ db, gateway, rateLocks, log, settings, announce }: PayDeps): Pay {
  return async (agent, request, key) => {
    const { id: agentKeyId } = agent;
    const requestHash = createHash('sha256').update(JSON.stringify(request)).digest();
    const earlier = key && (await findReplay(db, agentKeyId, key));
    if (earlier) return replay(earlier, requestHash);

    // Known to be away: refused before anything is written. Found to be away only after the commit: the order
    // stands, and the reconciler starts its workflow when Temporal is back.
    if (!(await gateway.isReachable())) throw new DomainError('unavailable', undefined, { retryAfter: 2 });

    const lockId = request.rate_lock_id ?? null;
    let order: NewOrder;
    try {
      order = await quotedOrder(agent, request);
    } catch (refusal) {
      // The lock may have been used by this very request, a moment ago.
      const first = key && lockId && (await findReplay(db, agentKeyId, key));
      if (first) return replay(first, requestHash);
      throw refusal;
    }
    const response = paymentResponse(order, settings.publicUrl);
    const record = key ? { key, requestHash, response: masked(response) } : null;
    const created = await createOrder(db, order, record, lockId);
    if (!created) {
      const first = key && (await findReplay(db, agentKeyId, key));
      if (first) return replay(first, requestHash);
      if (lockId !== null) throw await rateLocks.whyNotTaken(agentKeyId, lockId);
      throw new Error('An order was refused for an idempotency key that is not there');
    }
    aboutOrder(order.id);
    crashPoint('pay.committed');
    announce();
    const row = {
      ...order,
      version: 1,
      excluded_lp_ids: [],
      rejected_tx_hashes: [],
      reoffers: 0,
      rejections: 0,
    };
    await startOrder(gateway, row, settings.durations, { webhooks: [], ...created }).catch((error) =>
      log.warn({ err: error, orderId: order.id }, 'the workflow was not started; the reconciler will'),
    );
    crashPoint('pay.started');
    return { response, replayed: false };
  };

  async function quotedOrder(agent: PayingAgent, request: PayRequest): Promise<NewOrder> {
    const quote = await rateLocks.quoteFor(agent.id, request);
    await requireExposure(db, agent, quote.amount_usd);
    const expires_at = new Date(Date.now() + settings.durations.claim);
    return {
      id: await nextOrderId(db),
      payment_id: `pay_${randomBytes(12).toString('hex')}`,
      agent_key_id: agent.id,
      user_id: request.user_id,
      ...quote,
      recipient: request.recipient,
      recipient_name: request.recipient_name ?? null,
      method: request.method,
      callback_url: request.callback_url ?? null,
      status: 'matched',
      expires_at,
      timeout_at: expires_at,
      traceparent: carriedTrace().trace ?? null,
    };
  }
}

function replay(
  earlier: { request_hash: Buffer; response: Record<string, unknown> },
  requestHash: Buffer,
): Payment {
  if (!requestHash.equals(earlier.request_hash)) throw new DomainError('idempotency_conflict');
  aboutOrder(Number(earlier.response.order_id));
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

import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { AgentKey } from '../db/entities/agent-key.ts';
import type { Database } from '../db/orm.ts';
import type { Delivery } from '../domain/delivery.ts';
import { DomainError } from '../domain/errors.ts';
import { STAGES, type StageDurations } from '../domain/order-state.ts';
import type { RecipientChecks } from '../market/corridors/recipient-checks.ts';
import { type ResolverSettings, resolveDelivery } from '../market/corridors/resolve-delivery.ts';
import { drawAmount, untilReserved } from '../market/pricing/draw-amount.ts';
import type { OpenQuote } from '../market/pricing/quote-payment.ts';
import type { RateLocks } from '../market/pricing/rate-locks.ts';
import { crashPoint } from '../process/crash-point.ts';
import { aboutOrder, carriedTrace } from '../process/tracing/tracing.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import { createOrder, findReplay, nextOrder } from './create-order.ts';
import type { NewOrder } from './new-order.ts';
import { type PaymentRequest, type PaymentView, paymentView, withMaskedRecipient } from './payment.ts';
import { startInput } from './start-order.ts';

type CheckedDelivery = Delivery & Pick<NewOrder, 'recipient_check'>;

export interface PayDeps {
  /** Notifies the order feed that there is a new order. */
  announce: () => void;
  db: Database;
  gateway: OrderGateway;
  rateLocks: RateLocks;
  delivery: ResolverSettings;
  recipientChecks: Pick<RecipientChecks, 'find'>;
  log: Logger;
  settings: {
    publicUrl: string;
    durations: StageDurations;
    /** Whether the workflow of a new order sleeps until somebody needs it. */
    orderStart: 'asleep' | 'awake';
  };
}

export interface Payment {
  response: PaymentView;
  /**
   * An earlier request with the same idempotency key created the order. `response`: the response of that request, with
   * the recipient masked.
   */
  replayed: boolean;
}

/**
 * Creates a payment: quotes it, records the order, starts its workflow. Contract: "POST /api/v1/pay".
 * Any number of requests with the same idempotency key, even concurrent ones, create one order.
 */
export type Pay = (
  agent: Pick<AgentKey, 'id'>,
  request: PaymentRequest,
  idempotencyKey: string | undefined,
) => Promise<Payment>;

export function createPay({
  db,
  gateway,
  rateLocks,
  delivery,
  recipientChecks,
  log,
  settings,
  announce,
}: PayDeps): Pay {
  return async (agent, request, key) => {
    const requestHash = createHash('sha256')
      .update(JSON.stringify(inFixedOrder(request)))
      .digest();
    const findEarlier = async () => (key ? findReplay(db, agent.id, key) : undefined);
    const earlier = await findEarlier();
    if (earlier) return replay(earlier, requestHash);
    try {
      return await payFirst(agent, request, key ? { key, requestHash } : null);
    } catch (refusal) {
      // A concurrent copy of this request may have used the rate lock, the agent's limit, the last amount, or the LP's collateral.
      const first = await findEarlier();
      if (first) return replay(first, requestHash);
      throw refusal;
    }
  };

  /** Creates the payment. `once`: the key under which its response is kept. */
  async function payFirst(
    agent: Pick<AgentKey, 'id'>,
    request: PaymentRequest,
    once: { key: string; requestHash: Buffer } | null,
  ): Promise<Payment> {
    const delivered = await checkedDelivery(agent.id, request);

    // Without Temporal, Corridor writes nothing. If Temporal becomes unavailable after the commit, the order exists,
    // and the reconciler starts its workflow when Temporal is back.
    if (!(await gateway.isReachable())) throw new DomainError('unavailable', undefined, { retryAfter: 2 });

    const lockId = request.rate_lock_id ?? null;
    const quote = await rateLocks.quoteFor(agent.id, { ...request, ...delivered });
    const attempt = async () => {
      const order = await newOrder(agent, request, delivered, quote);
      const response = paymentView(order, request, settings.publicUrl);
      const record = once && { ...once, response: withMaskedRecipient(response) };
      const created = await createOrder(db, order, record, lockId);
      // A rate lock has no second amount: it has expired in this moment.
      if (created === 'amount_taken')
        return quote.amounts ? created : { order, response, created: undefined };
      return { order, response, created };
    };
    const { order, response, created } = await untilReserved(attempt);
    if (!created) {
      if (lockId !== null) throw await rateLocks.explainLostLock(agent.id, lockId);
      throw new Error(`Order ${order.id} was not created, and no idempotency key or rate lock explains it`);
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
      replacements: 0,
    };
    // Nobody can claim automatically, so there is nothing to do until somebody claims, cancels or misses the deadline.
    const sleeps = settings.orderStart === 'asleep' && !created.autoClaims;
    const begin = sleeps ? gateway.beginAsleep : gateway.begin;
    await begin(startInput(row, { webhooks: [], ...created }), row).catch((error) =>
      log.warn(
        { err: error, orderId: order.id },
        'the workflow was not started; the reconciler will start it',
      ),
    );
    crashPoint('pay.started');
    return { response, replayed: false };
  }

  /** The delivery, and the check of its recipient if the request names one. */
  async function checkedDelivery(agentKeyId: number, request: PaymentRequest): Promise<CheckedDelivery> {
    const delivered = resolveDelivery(delivery, request);
    const { currency, recipient_check_id: id, recipient_name: name } = request;
    if (id === undefined) return { ...delivered, recipient_check: null };
    const check = await recipientChecks.find(agentKeyId, id, { ...delivered, currency }, name);
    return { ...delivered, recipient_check: check };
  }

  async function newOrder(
    agent: Pick<AgentKey, 'id'>,
    request: PaymentRequest,
    delivered: CheckedDelivery,
    { amounts, ...quote }: OpenQuote,
  ): Promise<NewOrder> {
    const { id, at, amount_crypto } = amounts
      ? await drawAmount(db, amounts, quote)
      : { ...(await nextOrder(db)), amount_crypto: quote.amount_crypto };
    const expires_at = new Date(at.getTime() + settings.durations.claim);
    return {
      id,
      payment_id: `pay_${randomBytes(12).toString('hex')}`,
      agent_key_id: agent.id,
      user_id: request.user_id,
      ...quote,
      amount_crypto,
      ...delivered,
      recipient_name: request.recipient_name ?? null,
      callback_url: request.callback_url ?? null,
      status: 'matched',
      expires_at,
      timeout_at: expires_at,
      stage_ms: STAGES.map((stage) => settings.durations[stage]),
      traceparent: carriedTrace().trace ?? null,
    };
  }
}

/** The schema orders all fields but these, which keep the order of the sender. A repetition may have another one. */
function inFixedOrder(request: PaymentRequest): PaymentRequest {
  const { recipient_details: details } = request;
  if (!details) return request;
  const sorted = Object.entries(details).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...request, recipient_details: Object.fromEntries(sorted) };
}

function replay(earlier: { request_hash: Buffer; response: PaymentView }, requestHash: Buffer): Payment {
  if (!requestHash.equals(earlier.request_hash)) throw new DomainError('idempotency_conflict');
  aboutOrder(earlier.response.order_id);
  return { response: earlier.response, replayed: true };
}

import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import type { WebhookAnswer } from '../src/adapters/ports.ts';
import { signatureHeaders } from '../src/adapters/webhook-signature.ts';
import { crashPoint } from '../src/crash-point.ts';
import {
  type DueDelivery,
  fixBody,
  loadDelivery,
  recordAttempt,
} from '../src/db/queries/webhook-deliveries.ts';
import { MAX_ATTEMPTS } from '../src/domain/delivery-state.ts';
import { webhookData } from '../src/domain/order-view.ts';
import type { Traced } from '../src/domain/traced.ts';
import type { ActivityDeps } from './deps.ts';
import { createShares } from './shares.ts';
import { createSwiftPeers } from './swift-peers.ts';

/** Webhooks of one agent that a worker has under way at once; it has slots for five such agents (`src/worker.ts`). */
const MOST_OF_ONE_AGENT = 100;
/** A delivery that found no share asks again after this, then after twice, three times as long, up to the last. */
const NO_SHARE_RETRY_S = { first: 1, last: 5 };
/** Before the second attempt, and before each one after it. */
const RETRY_AFTER_MS = { second: 400, later: 800 };
/** A workflow task waits no longer than this for a receiver that was swift until now. */
const AT_ONCE_MS = 300;

type WebhookDeps = Pick<
  ActivityDeps,
  'db' | 'sendWebhook' | 'webhookSecret' | 'secondWebhookSecret' | 'webhookMetrics'
>;

/** `seq`: the number of the transition that is told. */
export interface DeliverWebhookInput extends Traced {
  orderId: number;
  seq: number;
}

export interface WebhookActivities {
  /** Attempts until the receiver has taken it, or there is none left. */
  deliverWebhook: (input: DeliverWebhookInput) => Promise<'delivered' | 'exhausted'>;
  /**
   * The first attempt, where the receiver has been swift of late. Otherwise, and where it was in vain, what is left to
   * `deliverWebhook`, and in how many milliseconds.
   */
  deliverAtOnce: (input: DeliverWebhookInput) => Promise<'done' | { laterMs: number }>;
}

/**
 * One attempt per run; a failure with attempts left fails the activity, so that Temporal sends it again.
 * Attempts are counted in the database, after each answer: when our own database is away, none is used up, and when
 * the worker dies between the POST and the record, the receiver sees the same bytes once more. None is used up either by
 * a delivery whose agent has as many under way here as one may have: it leaves its slot to others.
 */
export function webhookActivities(
  { db, sendWebhook, webhookSecret, secondWebhookSecret, webhookMetrics }: WebhookDeps,
  receivers = createSwiftPeers(),
): WebhookActivities {
  const shares = createShares(MOST_OF_ONE_AGENT);
  return {
    deliverWebhook: async ({ orderId, seq }) => {
      const delivery = await loadDelivery(db, orderId, seq);
      if (delivery.state !== 'pending') return delivery.state;
      const giveBack = shares.take(delivery.agentKeyId);
      if (!giveBack) throw noShareLeft();
      try {
        const answer = await send(orderId, seq, delivery);
        const { state, in_cycle } = await record(orderId, seq, answer);
        if (state !== 'pending') return state;
        throw notDelivered(in_cycle, answer);
      } finally {
        giveBack();
      }
    },

    deliverAtOnce: async ({ orderId, seq }) => {
      const delivery = await loadDelivery(db, orderId, seq);
      if (delivery.state !== 'pending') return 'done';
      const giveBack = isSwift(delivery) ? shares.take(delivery.agentKeyId) : undefined;
      if (!giveBack) return { laterMs: 0 };
      try {
        const answer = await send(orderId, seq, delivery, AT_ONCE_MS);
        // No attempt: it was cut off, for reasons of ours. It comes again with the same bytes.
        if (answer.cutOff) return { laterMs: 0 };
        const { state, in_cycle } = await record(orderId, seq, answer);
        return state === 'pending' ? { laterMs: retryAfter(in_cycle) } : 'done';
      } finally {
        giveBack();
      }
    },
  };

  function isSwift({ url }: DueDelivery): boolean {
    return receivers.isSwift(new URL(url).origin);
  }

  /** `withinMs`: cut off after this, where it may not take as long as a receiver may. */
  async function send(orderId: number, seq: number, delivery: DueDelivery, withinMs?: number) {
    const { id: deliveryId, url } = delivery;
    const body = delivery.body ?? (await fixBody(db, orderId, seq, webhookBody(delivery.event)));
    const answer = await sendWebhook({
      url,
      body,
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders(webhookSecret, { deliveryId, body, at: new Date() }, secondWebhookSecret),
      },
      withinMs,
    });
    receivers.took(
      new URL(url).origin,
      answer.status === null ? Number.POSITIVE_INFINITY : answer.durationMs,
    );
    crashPoint('webhook.sent');
    return answer;
  }

  async function record(orderId: number, seq: number, answer: WebhookAnswer) {
    const recorded = await recordAttempt(db, orderId, seq, answer);
    crashPoint('webhook.recorded');
    if (recorded.state !== 'pending') webhookMetrics.ended(recorded.state, recorded.lag_seconds);
    return recorded;
  }
}

const retryAfter = (attemptsMade: number) =>
  attemptsMade === 1 ? RETRY_AFTER_MS.second : RETRY_AFTER_MS.later;

function notDelivered(attemptsMade: number, { error, status }: WebhookAnswer): ApplicationFailure {
  return ApplicationFailure.create({
    message: `Attempt ${attemptsMade} of ${MAX_ATTEMPTS}: ${error ?? `the receiver answered ${status}`}`,
    type: 'WebhookNotDelivered',
    category: 'BENIGN',
    // Not left to the retry policy, which counts the runs that made no attempt, too.
    nextRetryDelay: retryAfter(attemptsMade),
  });
}

/** Waits longer each time: with very many deliveries waiting, asking must not be a burden of its own. */
function noShareLeft(): ApplicationFailure {
  const { first, last } = NO_SHARE_RETRY_S;
  return ApplicationFailure.create({
    message: `${MOST_OF_ONE_AGENT} webhooks of this agent are under way`,
    type: 'TooManyAtOnce',
    category: 'BENIGN',
    nextRetryDelay: `${Math.min(first * activityInfo().attempt, last)}s`,
  });
}

/** Contract: "Events", "Body". */
function webhookBody(event: {
  order_id: number;
  status: string;
  created_at: Date;
  snapshot: object;
}): string {
  return JSON.stringify({
    event: 'order.status_changed',
    order_id: event.order_id,
    status: event.status,
    timestamp: event.created_at.toISOString(),
    data: webhookData(event.snapshot),
  });
}

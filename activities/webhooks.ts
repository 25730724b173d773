import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import type { Chains, WebhookAnswer } from '../src/adapters/ports.ts';
import { signatureHeaders } from '../src/adapters/webhook-signature.ts';
import type { WebhookActivities } from '../src/domain/activity-types.ts';
import { type WithTag, webhookData } from '../src/domain/order-view.ts';
import { reasonShownTo } from '../src/domain/status-reasons.ts';
import { openAgentSecrets } from '../src/notify/webhooks/agent-secret.ts';
import { attemptIfDue } from '../src/notify/webhooks/attempt.ts';
import { type DueDelivery, loadDelivery, type WebhookEvent } from '../src/notify/webhooks/deliveries.ts';
import type { ActivityDeps } from './deps.ts';
import { createConcurrencyLimit } from './limits.ts';
import { createRecentEndpoints } from './recent-endpoints.ts';

/** How many deliveries of one agent a worker runs at the same time: a fifth of its slots (`src/service/worker/worker.ts`). */
const MAX_PER_AGENT = 100;
/** Delays before the next run of a delivery that found no slot: each is longer by `first`, up to `last`. */
const NO_SLOT_RETRY_S = { first: 1, last: 5 };
/** A workflow task waits no longer than this for a receiver that was fast until now. */
const INLINE_TIMEOUT_MS = 300;

type WebhookDeps = Pick<
  ActivityDeps,
  | 'db'
  | 'log'
  | 'chains'
  | 'sendWebhook'
  | 'webhookSecret'
  | 'secondWebhookSecret'
  | 'sealing'
  | 'webhookMetrics'
>;

/**
 * The database counts an attempt before the POST. No other attempt begins until the answer is recorded, or until the
 * attempt of a dead worker must have ended. So a receiver never gets a fourth POST. The activity itself makes the
 * pauses, because Temporal's timers are up to a second late. An outage of our own database uses up no attempt, and
 * neither does a delivery whose agent is at its concurrency limit.
 */
export function webhookActivities(
  { db, log, chains, sendWebhook, webhookSecret, secondWebhookSecret, sealing, webhookMetrics }: WebhookDeps,
  endpoints = createRecentEndpoints(),
): WebhookActivities {
  const perAgent = createConcurrencyLimit(MAX_PER_AGENT);
  return {
    deliverWebhook: async ({ orderId, seq }, stopped) => {
      const delivery = await loadDelivery(db, orderId, seq);
      if (!delivery) return 'exhausted';
      if (delivery.state !== 'pending') return delivery.state;
      const freeSlot = perAgent.take(delivery.agentKeyId);
      if (!freeSlot) throw noSlotLeft();
      try {
        for (;;) {
          const { state, wait_ms } = await attempt(delivery);
          if (state !== 'pending') return state;
          if (stopped?.aborted) throw handedOver();
          await delay(wait_ms);
        }
      } finally {
        freeSlot();
      }
    },

    deliverInline: async ({ orderId, seq }) => {
      const delivery = await loadDelivery(db, orderId, seq);
      // A forged signal can name a webhook that does not exist. Temporal would retry a failure, which would delay the
      // real webhooks.
      if (delivery?.state !== 'pending') return 'done';
      if (delivery.hasEarlier) return 'later';
      const origin = new URL(delivery.url).origin;
      const freeSlot = endpoints.isRecentlyFast(origin) ? perAgent.take(delivery.agentKeyId) : undefined;
      if (!freeSlot) return 'later';
      const attempting = attempt(delivery).finally(freeSlot);
      const timeUp = delay(INLINE_TIMEOUT_MS, undefined, { ref: false });
      const ended = await Promise.race([attempting, timeUp]);
      if (!ended) {
        endpoints.recordAnswer(origin, Number.POSITIVE_INFINITY);
        // If our own database fails now, the attempt stays without a record, as if the worker had died.
        attempting.catch(() => undefined);
      }
      return ended && ended.state !== 'pending' ? 'done' : 'later';
    },
  };

  function attempt(delivery: DueDelivery): ReturnType<typeof attemptIfDue> {
    const { origin } = new URL(delivery.url);
    const answered = ({ status, durationMs }: WebhookAnswer) =>
      endpoints.recordAnswer(origin, status === null ? Number.POSITIVE_INFINITY : durationMs);
    return attemptIfDue(
      { db, sendWebhook, ended: webhookMetrics.ended, answered },
      {
        id: delivery.id,
        url: delivery.url,
        body: delivery.body ?? webhookBody(delivery.event, chains),
        recipientWords: delivery.recipientWords,
        sign: (attempt) => {
          const second = secondWebhookSecret === undefined ? [] : [secondWebhookSecret];
          return signatureHeaders(webhookSecret, attempt, [...ownSecrets(delivery), ...second]);
        },
      },
    );
  }

  /** If none can be read, the webhook has only the service's signatures, and a receiver that verifies its own secret refuses it. */
  function ownSecrets({ id, agentKeyId, agentSecrets }: DueDelivery): string[] {
    const secrets = openAgentSecrets(agentSecrets, sealing);
    if (agentSecrets.secret && secrets.length === 0)
      log.error(
        { webhookId: id, agentKeyId },
        'cannot sign a webhook with the agent’s own secret, which was encrypted under another COMMAND_SECRET: give the agent key a new one with "keys rotate-webhook-secret"',
      );
    return secrets;
  }
}

/** This worker stops. Another one makes the attempts that are left. */
const handedOver = () =>
  ApplicationFailure.create({
    message: 'The worker stops between two attempts',
    type: 'WorkerStops',
    category: 'BENIGN',
  });

/** Waits longer each time, so that the retries of many waiting deliveries do not load the worker. */
function noSlotLeft(): ApplicationFailure {
  const { first, last } = NO_SLOT_RETRY_S;
  return ApplicationFailure.create({
    message: `${MAX_PER_AGENT} webhooks of this agent are under way`,
    type: 'AgentConcurrencyLimit',
    category: 'BENIGN',
    nextRetryDelay: `${Math.min(first * activityInfo().attempt, last)}s`,
  });
}

/** Contract: "Events", "Body". */
function webhookBody(event: WebhookEvent, chains: Chains): string {
  // Without the chain's settings, the webhook omits the address: a payment without the tag would be lost.
  const withTag: WithTag = (address, tag) => chains.get('xrpl')?.tags?.encode(address, tag);
  return JSON.stringify({
    event: 'order.status_changed',
    order_id: event.order_id,
    status: event.status,
    timestamp: event.created_at.toISOString(),
    status_reason_code: reasonShownTo('agent', { text: null, code: event.reason_code }).code,
    data: webhookData(event.snapshot, withTag),
  });
}

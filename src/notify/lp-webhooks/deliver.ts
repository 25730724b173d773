import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WebhookMetrics } from '../../adapters/metrics/webhooks.ts';
import type { WebhookSender } from '../../adapters/ports.ts';
import { signatureForLp } from '../../adapters/webhook-signature.ts';
import type { Database } from '../../db/orm.ts';
import type { DeliveryState } from '../../domain/delivery-state.ts';
import type { OutcomeChannel } from '../../orders/outcome-channel.ts';
import { outsideTraces } from '../../process/tracing/tracing.ts';
import { attemptIfDue, type SignedWebhook } from '../webhooks/attempt.ts';
import { type ActiveWebhook, activeWebhooks, type ServiceSecrets } from './active.ts';
import { lpWebhookBody } from './body.ts';
import { type DueWebhook, dropWebhook, dueWebhooks } from './due.ts';
import { queueNewEvents } from './queue.ts';
import { queueTermsEvents } from './queue-terms-events.ts';
import { recordAccepted, recordFailed } from './record-outcome.ts';
import { resealLpSecrets } from './reseal.ts';
import { dueWarnings } from './warnings.ts';

/** How many webhooks of one LP this process sends at the same time. */
const MAX_PER_LP = 10;
/** How many warnings of a stolen key it sends to one URL of one LP at the same time. */
const MAX_WARNINGS_PER_URL = 2;
/** An announcement starts a round earlier. */
const ROUND_EVERY_MS = 1_000;
/** The pause between two rounds. */
const PAUSE_MS = 20;
/** The pause between two searches for terms to report. Announcements do not cover terms. */
const TERMS_EVERY_MS = 1_000;

export interface LpWebhookDeps extends ServiceSecrets {
  db: Database;
  channel: Pick<OutcomeChannel, 'onAnnounced'>;
  sendWebhook: WebhookSender;
  metrics: Pick<WebhookMetrics, 'ended'>;
  log: Logger;
}

/**
 * Sends the webhooks of LPs. Each worker process runs this. The database decides which process moves the reader of the
 * feed and which makes an attempt. If a process dies, another one continues after the attempt's lease.
 */
export function startLpWebhooks(deps: LpWebhookDeps): { close: () => Promise<void> } {
  const { db, channel, sendWebhook, metrics, log } = deps;
  const closing = new AbortController();
  /** `receiver`: an LP, or an LP's URL that gets a warning. */
  const underWay = new Map<number, { receiver: string; run: Promise<void> }>();
  let hasActive = true;
  let asked: (() => void) | undefined;
  let isAsked = false;
  let termsReadAt = Number.NEGATIVE_INFINITY;
  channel.onAnnounced(() => {
    if (hasActive) requestRound();
  });
  const rounds = outsideTraces(runRounds);

  return {
    close: async () => {
      closing.abort();
      requestRound();
      await rounds;
      await Promise.all([...underWay.values()].map(({ run }) => run));
    },
  };

  function requestRound(): void {
    isAsked = true;
    asked?.();
  }

  async function runRounds(): Promise<void> {
    while (!closing.signal.aborted) {
      isAsked = false;
      await runRound().catch((error) => log.warn({ err: error }, 'could not queue or send webhooks of LPs'));
      await delay(PAUSE_MS);
      if (isAsked || closing.signal.aborted) continue;
      const timer = setTimeout(requestRound, ROUND_EVERY_MS);
      await new Promise<void>((resolve) => {
        asked = resolve;
      });
      clearTimeout(timer);
    }
  }

  async function runRound(): Promise<void> {
    if (performance.now() - termsReadAt >= TERMS_EVERY_MS) {
      await queueTermsEvents(db);
      termsReadAt = performance.now();
    }
    await resealLpSecrets(db, deps);
    await startWarnings();
    const hooks = await activeWebhooks(db, deps, log);
    hasActive = hooks.length > 0;
    if (!hasActive) return;
    const again = await queueNewEvents(db, hooks, () => activeWebhooks(db, deps, log));
    if (again !== 'later') requestRound();
    const hookOf = new Map(hooks.map((hook) => [hook.lpId, hook]));
    for (const webhook of await dueWebhooks(db, MAX_PER_LP, [...underWay.keys()])) {
      const hook = hookOf.get(webhook.lpId);
      if (hook) start(webhook, String(hook.lpId), MAX_PER_LP, () => deliver(webhook, hook));
    }
  }

  async function startWarnings(): Promise<void> {
    for (const warning of await dueWarnings(db, deps, log, MAX_WARNINGS_PER_URL, [...underWay.keys()])) {
      const { id, lpId, url, body, secrets } = warning;
      start(warning, `${lpId} ${url}`, MAX_WARNINGS_PER_URL, async () => {
        await attempt({ id, url, body, sign: signatureForLp(secrets) });
      });
    }
  }

  /** Starts a delivery, unless the receiver has as many as it may. */
  function start(
    { id, lpId }: { id: number; lpId: number },
    receiver: string,
    most: number,
    delivery: () => Promise<void>,
  ): void {
    if ([...underWay.values()].filter((other) => other.receiver === receiver).length >= most) return;
    const run = delivery()
      .catch((error) => log.warn({ err: error, lpId, deliveryId: id }, 'a webhook of an LP waits'))
      .finally(() => {
        underWay.delete(id);
        requestRound();
      });
    underWay.set(id, { receiver, run });
  }

  async function deliver(webhook: DueWebhook, { lpId, url, secret, previous }: ActiveWebhook): Promise<void> {
    const body = webhook.body === null ? await lpWebhookBody(db, webhook) : webhook.body;
    if (body === undefined) return dropWebhook(db, webhook.id);
    const sign = signatureForLp(previous === undefined ? [secret] : [secret, previous]);
    const state = await attempt({ id: webhook.id, url, body, sign });
    if (state === 'delivered') await recordAccepted(db, lpId);
    if (state === 'exhausted' && (await recordFailed(db, lpId, webhook.id)))
      log.warn({ lpId }, 'stopped the webhooks of an LP');
  }

  /**
   * Attempts until the receiver accepts the webhook or no attempt is left. After a stop it stays pending, and another process
   * makes the remaining attempts.
   */
  async function attempt(signed: Omit<SignedWebhook, 'recipientWords'>): Promise<DeliveryState> {
    const webhook = { ...signed, recipientWords: null };
    for (;;) {
      const { state, wait_ms } = await attemptIfDue({ db, sendWebhook, ended: metrics.ended }, webhook);
      if (state !== 'pending') return state;
      await delay(wait_ms, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted) return state;
    }
  }
}

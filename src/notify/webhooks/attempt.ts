import type { WebhookAnswer, WebhookSender } from '../../adapters/ports.ts';
import type { SignedAttempt } from '../../adapters/webhook-signature.ts';
import type { Database } from '../../db/orm.ts';
import type { DeliveryState } from '../../domain/delivery-state.ts';
import { shownAnswer } from '../../domain/receiver-answer.ts';
import { crashPoint } from '../../process/crash-point.ts';
import { beginAttempt, recordAttempt, type Turn } from './deliveries.ts';

export interface AttemptDeps {
  db: Database;
  sendWebhook: WebhookSender;
  /** Counts a webhook that needs no further attempt. `lagSeconds`: since its event; null after a redelivery request. */
  ended: (state: DeliveryState, lagSeconds: number | null) => void;
  /** Receives each answer. */
  answered?: (answer: WebhookAnswer) => void;
}

/** A webhook with its receiver and its signatures. */
export interface SignedWebhook {
  id: number;
  url: string;
  /** Ignored if an earlier attempt has fixed the bytes. */
  body: string;
  /** The headers that prove its origin. */
  sign: (attempt: SignedAttempt) => Record<string, string>;
  /** What identifies the order's recipient. Corridor keeps no answer that has it. Null: it keeps no answer. */
  recipientWords: readonly string[] | null;
}

/** How often a run checks whether another run's attempt has ended. */
const CHECK_AGAIN_MS = 250;

/** Makes the next attempt if it is due. Returns the state of the delivery, and how long to wait for the next attempt. */
export async function attemptIfDue(
  { db, sendWebhook, ended, answered }: AttemptDeps,
  { id, url, body, sign, recipientWords }: SignedWebhook,
): Promise<Pick<Turn, 'state' | 'wait_ms'>> {
  const turn = await beginAttempt(db, id, body);
  if (turn.attempt === null) {
    if (turn.has_ended) ended(turn.state, turn.lag_seconds);
    return { ...turn, wait_ms: Math.min(turn.wait_ms, CHECK_AGAIN_MS) };
  }
  const attempt = { deliveryId: id, body: turn.body, at: new Date() };
  const answer = await sendWebhook({
    url,
    body: turn.body,
    headers: { 'content-type': 'application/json', ...sign(attempt) },
  });
  answered?.(answer);
  crashPoint('webhook.sent');
  const kept = answer.body && recipientWords && shownAnswer(answer.body, recipientWords);
  const recorded = await recordAttempt(db, id, turn.attempt, { ...answer, body: kept });
  crashPoint('webhook.recorded');
  if (recorded.state !== 'pending') ended(recorded.state, recorded.lag_seconds);
  return recorded;
}

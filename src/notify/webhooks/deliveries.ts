import type { WebhookAnswer } from '../../adapters/ports.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { type DeliveryState, MAX_ATTEMPTS } from '../../domain/delivery-state.ts';
import type { SealedAgentSecrets } from './agent-secret.ts';

/** A webhook with everything that an attempt needs. */
export interface DueDelivery {
  id: number;
  state: DeliveryState;
  url: string;
  body: string | null;
  agentKeyId: number;
  agentSecrets: SealedAgentSecrets;
  /** What identifies the order's recipient. */
  recipientWords: string[];
  /** An earlier webhook of the order to the agent is pending. */
  hasEarlier: boolean;
  event: WebhookEvent;
}

/** The transition that a webhook reports. `snapshot`: see `OrderEvent`. */
export interface WebhookEvent {
  order_id: number;
  status: string;
  created_at: Date;
  snapshot: Record<string, unknown>;
  reason_code: string | null;
}

const LOAD = statement(
  'webhook-load',
  `
  select delivery.id, delivery.state, delivery.body, event.status, event.created_at, event.snapshot, event.reason_code,
    o.callback_url, o.agent_key_id, recipient_words(o) as recipient_words, known.secret,
    exists (
      select from webhook_delivery earlier
      where earlier.order_id = $orderId and earlier.seq < $seq and earlier.lp_id is null and earlier.state = 'pending'
    ) as has_earlier,
    case when known.previous_expires_at > now() then known.previous_secret end as previous
  from webhook_delivery delivery
    join order_event event using (order_id, seq)
    join orders o on o.id = delivery.order_id
    left join agent_webhook_secret known using (agent_key_id)
  where delivery.order_id = $orderId and delivery.seq = $seq and delivery.lp_id is null`,
);

interface Row extends Record<string, unknown> {
  id: number;
  state: DeliveryState;
  body: string | null;
  status: string;
  created_at: string;
  snapshot: Record<string, unknown>;
  reason_code: string | null;
  callback_url: string | null;
  agent_key_id: number;
  recipient_words: string[];
  has_earlier: boolean;
  secret: Buffer | null;
  previous: Buffer | null;
}

/** Returns the agent's webhook about a transition of its order; undefined if there is none. */
export async function loadDelivery(
  db: Database,
  orderId: number,
  seq: number,
): Promise<DueDelivery | undefined> {
  const [row] = await run<Row>(db, LOAD, { orderId, seq });
  if (!row) return undefined;
  const { id, state, body, status, snapshot, reason_code, callback_url: url, agent_key_id: agentKeyId } = row;
  if (!url) throw new Error(`Order ${orderId} has webhook ${seq} but no callback_url`);
  return {
    ...{ id, state, url, body },
    agentKeyId,
    agentSecrets: { agentKeyId, secret: row.secret, previous: row.previous },
    recipientWords: row.recipient_words,
    hasEarlier: row.has_earlier,
    event: { order_id: orderId, status, created_at: new Date(row.created_at), snapshot, reason_code },
  };
}

/** A webhook whose attempt ends without a record, because its worker died, gets the next attempt after this time. */
const ATTEMPT_LEASE_MS = 12_000;
/** Contract: "immediately, after about 400 ms, then after about 800 ms more". Each pause is twice the previous one. */
const FIRST_PAUSE_MS = 400;

/** Counts an attempt before it is made, so that a worker that dies or sleeps does not cause an extra attempt. */
const BEGIN_ATTEMPT = statement(
  'webhook-begin-attempt',
  `
  with delivery as (
    update webhook_delivery
    set body = coalesce(body, $body),
      attempts = attempts + (attempts - attempts_before < $maxAttempts::int)::int,
      state = case when attempts - attempts_before < $maxAttempts::int then state else 'exhausted' end,
      finished_at = case when attempts - attempts_before < $maxAttempts::int then finished_at else now() end,
      next_attempt_at = case when attempts - attempts_before < $maxAttempts::int
        then now() + $leaseMs::int * interval '1 millisecond' end
    where id = $id and state = 'pending' and (next_attempt_at is null or next_attempt_at <= now())
    returning state, body, attempts, attempts_before, created_at
  ), attempt as (
    insert into webhook_attempt (delivery_id, attempt, error, duration_ms)
    select $id, attempts, 'no answer was recorded', 0 from delivery where state = 'pending'
  )
  select state, body, case when state = 'pending' then attempts end as attempt, 0 as wait_ms,
    state = 'exhausted' as has_ended,
    case when attempts_before = 0 then extract(epoch from now() - created_at)::float end as lag_seconds
  from delivery
  union all
  select state, body, null, greatest(1, ceil(extract(epoch from next_attempt_at - now()) * 1000))::int, false, null
  from webhook_delivery where id = $id and not exists (select from delivery)`,
);

/** The next action of a run: make the attempt with this number, wait, or stop, because the webhook is finished. */
export interface Turn {
  state: DeliveryState;
  body: string;
  attempt: number | null;
  wait_ms: number;
  /** Whether this call has made the webhook `exhausted`. */
  has_ended: boolean;
  /** Since the order's event; null after a redelivery request. */
  lag_seconds: number | null;
}

/**
 * Takes the next attempt if it is due. Stores the bytes that all attempts of a delivery send (`body`), unless an earlier
 * attempt has. A webhook whose last attempt ended without a record becomes `exhausted`.
 */
export async function beginAttempt(db: Database, id: number, body: string): Promise<Turn> {
  const values = { id, body, maxAttempts: MAX_ATTEMPTS, leaseMs: ATTEMPT_LEASE_MS };
  const [turn] = await run<Turn>(db, BEGIN_ATTEMPT, values);
  if (!turn) throw new Error(`There is no webhook ${id}`);
  return turn;
}

const RECORD_ATTEMPT = statement(
  'webhook-record-attempt',
  `
  with delivery as (
    update webhook_delivery
    set state = case when $status::int between 200 and 299 then 'delivered'
        when state = 'pending' and attempts = $attempt and attempts - attempts_before >= $maxAttempts
        then 'exhausted' else state end,
      finished_at = case when $status::int between 200 and 299 and state <> 'delivered' then now()
        when state = 'pending' and attempts = $attempt and attempts - attempts_before >= $maxAttempts
        then now() else finished_at end,
      next_attempt_at = case
        when $status::int between 200 and 299 or attempts = $attempt and attempts - attempts_before >= $maxAttempts
        then null
        when attempts = $attempt
        then now() + $firstPauseMs::int * 2 ^ (attempts - attempts_before - 1) * interval '1 millisecond'
        else next_attempt_at end
    where id = $id
    returning state, body, attempts_before, created_at, next_attempt_at
  ), attempt as (
    update webhook_attempt set status_code = $status::int, error = $error::varchar, duration_ms = $durationMs::int,
      answer = case when delivery.body is not null then $body::text end
    from delivery where delivery_id = $id and attempt = $attempt
  )
  select state, coalesce(ceil(extract(epoch from next_attempt_at - now()) * 1000), 0)::int as wait_ms,
    case when attempts_before = 0 then extract(epoch from now() - created_at)::float end as lag_seconds
  from delivery`,
);

/** The delivery after an attempt. `wait_ms`: until the next attempt, if any is left. */
export type RecordedAttempt = Pick<Turn, 'state' | 'wait_ms' | 'lag_seconds'>;

/** What an attempt has led to. `body`: the part of the answer that Corridor keeps, masked. */
export type AttemptResult = Omit<WebhookAnswer, 'body'> & { body: string | null };

/**
 * Records the answer to an attempt. The answer may come after the lease, when another run has made the next attempt or
 * finished the delivery. So a success makes the delivery `delivered` in any state. If the order has been masked since, its
 * delivery has no body any more, and nothing of the answer is kept.
 */
export async function recordAttempt(
  db: Database,
  id: number,
  attempt: number,
  { status, error, body, durationMs }: AttemptResult,
): Promise<RecordedAttempt> {
  const [recorded] = await run<RecordedAttempt>(db, RECORD_ATTEMPT, {
    ...{ id, attempt, status, error: error?.slice(0, 500) ?? null, body, durationMs },
    ...{ maxAttempts: MAX_ATTEMPTS, firstPauseMs: FIRST_PAUSE_MS },
  });
  if (!recorded) throw new Error(`There is no webhook ${id}`);
  return recorded;
}

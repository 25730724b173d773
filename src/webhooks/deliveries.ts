import type { WebhookAnswer } from '../adapters/ports.ts';
import { Order } from '../db/entities/order.ts';
import { OrderEvent, WebhookDelivery } from '../db/entities/order-log.ts';
import type { Database } from '../db/orm.ts';
import { type DeliveryState, MAX_ATTEMPTS } from '../domain/delivery-state.ts';

/** A webhook with everything that an attempt needs. */
export interface DueDelivery {
  id: number;
  state: DeliveryState;
  url: string;
  body: string | null;
  agentKeyId: number;
  event: OrderEvent;
}

export async function loadDelivery(
  db: Database,
  orderId: number,
  seq: number,
): Promise<DueDelivery | undefined> {
  const em = db.em();
  const delivery = await em.findOne(WebhookDelivery, { order_id: orderId, seq, lp_id: null });
  if (!delivery) return undefined;
  const event = await em.findOneOrFail(OrderEvent, { order_id: orderId, seq });
  const { callback_url, agent_key_id } = await em.findOneOrFail(
    Order,
    { id: orderId },
    { fields: ['callback_url', 'agent_key_id'] },
  );
  if (!callback_url) throw new Error(`Order ${orderId} has webhook ${seq} but no callback_url`);
  return {
    id: delivery.id,
    state: delivery.state,
    url: callback_url,
    body: delivery.body ?? null,
    agentKeyId: agent_key_id,
    event,
  };
}

/** A webhook whose attempt ends without a record, because its worker died, gets the next attempt after this time. */
const ATTEMPT_LEASE_MS = 12_000;
/** Contract: "immediately, after about 400 ms, then after about 800 ms more". Each pause is twice the previous one. */
const FIRST_PAUSE_MS = 400;

/** Counts an attempt before it is made, so that a worker that dies or sleeps does not cause an extra attempt. */
const BEGIN_ATTEMPT = `
  with delivery as (
    update webhook_delivery
    set body = coalesce(body, $2),
      attempts = attempts + (attempts - attempts_before < $3::int)::int,
      state = case when attempts - attempts_before < $3::int then state else 'exhausted' end,
      finished_at = case when attempts - attempts_before < $3::int then finished_at else now() end,
      next_attempt_at = case when attempts - attempts_before < $3::int
        then now() + $4::int * interval '1 millisecond' end
    where id = $1 and state = 'pending' and (next_attempt_at is null or next_attempt_at <= now())
    returning state, body, attempts, attempts_before, created_at
  ), attempt as (
    insert into webhook_attempt (delivery_id, attempt, error, duration_ms)
    select $1, attempts, 'no answer was recorded', 0 from delivery where state = 'pending'
  )
  select state, body, case when state = 'pending' then attempts end as attempt, 0 as wait_ms,
    state = 'exhausted' as has_ended,
    case when attempts_before = 0 then extract(epoch from now() - created_at)::float end as lag_seconds
  from delivery
  union all
  select state, body, null, greatest(1, ceil(extract(epoch from next_attempt_at - now()) * 1000))::int, false, null
  from webhook_delivery where id = $1 and not exists (select from delivery)`;

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
  const values = [id, body, MAX_ATTEMPTS, ATTEMPT_LEASE_MS];
  const [turn] = await db.query<Turn>('webhook-begin-attempt', BEGIN_ATTEMPT, values);
  if (!turn) throw new Error(`There is no webhook ${id}`);
  return turn;
}

const RECORD_ATTEMPT = `
  with delivery as (
    update webhook_delivery
    set state = case when $3::int between 200 and 299 then 'delivered'
        when state = 'pending' and attempts = $2 and attempts - attempts_before >= $6 then 'exhausted' else state end,
      finished_at = case when $3::int between 200 and 299 and state <> 'delivered' then now()
        when state = 'pending' and attempts = $2 and attempts - attempts_before >= $6 then now() else finished_at end,
      next_attempt_at = case
        when $3::int between 200 and 299 or attempts = $2 and attempts - attempts_before >= $6 then null
        when attempts = $2
        then now() + $7::int * 2 ^ (attempts - attempts_before - 1) * interval '1 millisecond' else next_attempt_at end
    where id = $1
    returning state, attempts_before, created_at, next_attempt_at
  ), attempt as (
    update webhook_attempt set status_code = $3::int, error = $4::varchar, duration_ms = $5::int
    where delivery_id = $1 and attempt = $2
  )
  select state, coalesce(ceil(extract(epoch from next_attempt_at - now()) * 1000), 0)::int as wait_ms,
    case when attempts_before = 0 then extract(epoch from now() - created_at)::float end as lag_seconds
  from delivery`;

/** The delivery after an attempt. `wait_ms`: until the next attempt, if any is left. */
export type RecordedAttempt = Pick<Turn, 'state' | 'wait_ms' | 'lag_seconds'>;

/**
 * Records the answer to an attempt. The answer may come after the lease, when another run has made the next attempt or
 * finished the delivery. So a success makes the delivery `delivered` in any state.
 */
export async function recordAttempt(
  db: Database,
  id: number,
  attempt: number,
  { status, error, durationMs }: WebhookAnswer,
): Promise<RecordedAttempt> {
  const text = error?.slice(0, 500) ?? null;
  const values = [id, attempt, status, text, durationMs, MAX_ATTEMPTS, FIRST_PAUSE_MS];
  const [recorded] = await db.query<RecordedAttempt>('webhook-record-attempt', RECORD_ATTEMPT, values);
  if (!recorded) throw new Error(`There is no webhook ${id}`);
  return recorded;
}

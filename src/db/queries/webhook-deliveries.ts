import type { WebhookAnswer } from '../../adapters/ports.ts';
import type { DeliveryState } from '../../domain/delivery-state.ts';
import { Order } from '../entities/order.ts';
import { OrderEvent, WebhookDelivery } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';

/** A webhook that is owed, with all that is needed to send it. */
export interface DueDelivery {
  id: number;
  state: DeliveryState;
  url: string;
  body: string | null;
  /** All so far, and those of them that were over before this cycle of attempts. */
  attempts: number;
  attemptsBefore: number;
  event: OrderEvent;
}

export async function loadDelivery(db: Database, orderId: number, seq: number): Promise<DueDelivery> {
  const em = db.em();
  const delivery = await em.findOneOrFail(WebhookDelivery, { order_id: orderId, seq });
  const event = await em.findOneOrFail(OrderEvent, { order_id: orderId, seq });
  const { callback_url } = await em.findOneOrFail(Order, { id: orderId }, { fields: ['callback_url'] });
  if (!callback_url) throw new Error(`Order ${orderId} owes webhook ${seq} but has no callback_url`);
  return {
    id: delivery.id,
    state: delivery.state,
    url: callback_url,
    body: delivery.body ?? null,
    attempts: delivery.attempts,
    attemptsBefore: delivery.attempts_before,
    event,
  };
}

const FIX_BODY = `
  update webhook_delivery set body = coalesce(body, $3) where order_id = $1 and seq = $2 returning body`;

/** Stores the bytes of a delivery, unless another run has: whoever came first decides what all attempts send. */
export async function fixBody(db: Database, orderId: number, seq: number, body: string): Promise<string> {
  const rows = await db.query<{ body: string }>('webhook-fix-body', FIX_BODY, [orderId, seq, body]);
  if (!rows[0]) throw new Error(`Order ${orderId} has no webhook ${seq}`);
  return rows[0].body;
}

const RECORD_ATTEMPT = `
  with attempt as (
    insert into webhook_attempt (order_id, seq, attempt, status_code, error, duration_ms)
    values ($1, $2, $3, $4, $5, $6)
    on conflict do nothing
  )
  update webhook_delivery
  set attempts = greatest(attempts, $3),
    state = case when state = 'pending' then $7::varchar else state end,
    finished_at = case when state <> 'pending' then finished_at when $7::varchar = 'pending' then null else now() end
  where order_id = $1 and seq = $2`;

export interface AttemptRecord {
  orderId: number;
  seq: number;
  attempt: number;
  state: DeliveryState;
  answer: WebhookAnswer;
}

export async function recordAttempt(db: Database, { orderId, seq, attempt, state, answer }: AttemptRecord) {
  const { status, error, durationMs } = answer;
  const values = [orderId, seq, attempt, status, error?.slice(0, 500) ?? null, durationMs, state];
  await db.query('webhook-record-attempt', RECORD_ATTEMPT, values);
}

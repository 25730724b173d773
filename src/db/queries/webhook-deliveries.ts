import type { WebhookAnswer } from '../../adapters/ports.ts';
import { type DeliveryState, MAX_ATTEMPTS } from '../../domain/delivery-state.ts';
import { Order } from '../entities/order.ts';
import { OrderEvent, WebhookDelivery } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';

/** A webhook that is owed, with all that is needed to send it. */
export interface DueDelivery {
  id: number;
  state: DeliveryState;
  url: string;
  body: string | null;
  agentKeyId: number;
  event: OrderEvent;
}

export async function loadDelivery(db: Database, orderId: number, seq: number): Promise<DueDelivery> {
  const em = db.em();
  const delivery = await em.findOneOrFail(WebhookDelivery, { order_id: orderId, seq });
  const event = await em.findOneOrFail(OrderEvent, { order_id: orderId, seq });
  const { callback_url, agent_key_id } = await em.findOneOrFail(
    Order,
    { id: orderId },
    { fields: ['callback_url', 'agent_key_id'] },
  );
  if (!callback_url) throw new Error(`Order ${orderId} owes webhook ${seq} but has no callback_url`);
  return {
    id: delivery.id,
    state: delivery.state,
    url: callback_url,
    body: delivery.body ?? null,
    agentKeyId: agent_key_id,
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
  with delivery as (
    update webhook_delivery
    set attempts = attempts + 1,
      state = case when $3::int between 200 and 299 then 'delivered'
        when state = 'pending' and attempts + 1 - attempts_before >= $6 then 'exhausted' else state end,
      finished_at = case when $3::int between 200 and 299 and state <> 'delivered' then now()
        when state = 'pending' and attempts + 1 - attempts_before >= $6 then now() else finished_at end
    where order_id = $1 and seq = $2
    returning attempts, attempts_before, state, created_at
  ), attempt as (
    insert into webhook_attempt (order_id, seq, attempt, status_code, error, duration_ms)
    select $1, $2, attempts, $3::int, $4::varchar, $5::int from delivery
  )
  select state, attempts - attempts_before as in_cycle,
    case when attempts_before = 0 then extract(epoch from now() - created_at)::float end as lag_seconds
  from delivery`;

/** What an attempt has made of its delivery, and the how manieth it was since the delivery was owed. */
export interface RecordedAttempt {
  state: DeliveryState;
  in_cycle: number;
  /** Since the order's event; null where the delivery was owed again on request. */
  lag_seconds: number | null;
}

/**
 * Records an attempt under the next number. Runs of one delivery may overlap, and it may be given up or closed between a
 * POST and its record: each attempt has a record of its own, and a receiver that took the webhook has it delivered
 * whatever the row says by then.
 */
export async function recordAttempt(
  db: Database,
  orderId: number,
  seq: number,
  { status, error, durationMs }: Omit<WebhookAnswer, 'cutOff'>,
): Promise<RecordedAttempt> {
  const values = [orderId, seq, status, error?.slice(0, 500) ?? null, durationMs, MAX_ATTEMPTS];
  const [recorded] = await db.query<RecordedAttempt>('webhook-record-attempt', RECORD_ATTEMPT, values);
  if (!recorded) throw new Error(`Order ${orderId} has no webhook ${seq}`);
  return recorded;
}

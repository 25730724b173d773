import type { ReceivedWebhook } from '../../dev/webhook-receiver.ts';
import type { Service } from './service.ts';

/** A change of an order, from its history. */
export interface RecordedEvent {
  order_id: number;
  seq: number;
  from_status: string | null;
  status: string;
  actor: string;
  cause: string;
  hash: string | null;
  /** The order's LP after the event, such as `lp:7`. */
  lp: string | null;
  created_at: Date;
}

export interface RecordedDelivery {
  id: number;
  order_id: number;
  seq: number;
  state: string;
  /** Null: the webhook was never sent. */
  last_attempt_at: Date | null;
}

/** The data at the end of a run, to compare with what the callers saw. */
export interface Recorded {
  /** Sorted by order and sequence number. */
  events: RecordedEvent[];
  /** `key`: null if none is stored. */
  orders: { id: number; key: string | null }[];
  withdrawals: { id: number; key: string | null; status: string }[];
  deposits: { id: number; status: string }[];
  deliveries: RecordedDelivery[];
  received: ReceivedWebhook[];
}

export async function readRecorded({ query, receiver }: Service): Promise<Recorded> {
  return {
    events: await query<RecordedEvent>(
      `select order_id::int, seq, from_status, status, actor, cause, created_at, snapshot ->> 'user_crypto_tx_hash' as hash,
         'lp:' || (snapshot ->> 'lp_id') as lp
       from order_event order by order_id, seq`,
    ),
    orders: await query(
      `select o.id::int, k.key from orders o left join idempotency_key k on k.order_id = o.id order by o.id`,
    ),
    withdrawals: await query(
      `select id::int, idempotency_key as key, status from collateral_withdrawal order by id`,
    ),
    deposits: await query(`select id::int, status from collateral_deposit order by id`),
    deliveries: await query<RecordedDelivery>(
      `select d.id::int, d.order_id::int, d.seq, d.state,
         (select max(a.created_at) from webhook_attempt a where a.delivery_id = d.id) as last_attempt_at
       from webhook_delivery d order by d.id`,
    ),
    received: receiver.received,
  };
}

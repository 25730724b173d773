import { DatabaseError } from 'pg';
import type { PaymentResponse } from '../../contract/payments.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Order } from '../entities/order.ts';
import { IdempotencyKey } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';
import { snapshot } from '../steps/perform-step.ts';

/** The columns that an order begins with; the others have defaults. */
const COLUMNS = [
  'id',
  'payment_id',
  'agent_key_id',
  'user_id',
  'lp_id',
  'amount_fiat',
  'currency',
  'rate_usd',
  'spread_bps',
  'amount_usd',
  'fee_usd',
  'amount_crypto',
  'crypto_symbol',
  'crypto_chain',
  'recipient',
  'recipient_name',
  'method',
  'callback_url',
  'status',
  'expires_at',
  'timeout_at',
  'traceparent',
] as const satisfies (keyof Order)[];
export type NewOrder = Pick<Order, Exclude<(typeof COLUMNS)[number], 'traceparent'>> &
  Partial<Pick<Order, 'traceparent'>>;

/** The idempotency key of a payment request, and what a replay of it will be answered. */
export interface Replayable {
  key: string;
  requestHash: Buffer;
  response: PaymentResponse;
}

export interface CreatedOrder {
  /** Whether any LP has auto-claim on; without one the order's workflow need not look. */
  autoClaims: boolean;
}

export async function nextOrderId(db: Database): Promise<number> {
  const rows = await db.query<{ id: number }>('order-id', `select nextval('orders_id_seq') as id`, []);
  if (!rows[0]) throw new Error('The sequence of order ids gave none');
  return rows[0].id;
}

const valuesFrom = (first: number) => COLUMNS.map((_, i) => `$${first + i}`).join(', ');

const CREATE = `
  with rate as (
    select id from rate_lock
    where id = $6::varchar and agent_key_id = $1::bigint and order_id is null and expires_at > now()
    for update
  ),
  idempotency as (
    insert into idempotency_key (agent_key_id, key, request_hash, response, order_id)
    select $1::bigint, $2, $3, $4, $5::bigint
    where $2::varchar is not null and ($6::varchar is null or exists (select from rate))
    on conflict do nothing
    returning order_id
  ),
  o as (
    insert into orders (${COLUMNS.join(', ')})
    select ${valuesFrom(7)}
    where ($2::varchar is null or exists (select from idempotency))
      and ($6::varchar is null or exists (select from rate))
    returning *
  ),
  event as (
    insert into order_event (order_id, seq, status, actor, cause, snapshot)
    select o.id, o.version, o.status, 'agent:' || o.agent_key_id, 'pay', ${snapshot('o')} from o
  ),
  used as (
    update rate_lock set order_id = o.id from o where rate_lock.id = $6::varchar
  )
  select exists (select from lp_auto_claim where enabled) as auto_claims from o`;

/**
 * Creates an order, its first event and its idempotency record, and takes its rate lock, in one statement.
 * Undefined when the idempotency key or the rate lock has been used, be it a moment ago, or the lock has expired: then
 * nothing was written.
 * Throws `unknown_user` when there is no such user.
 */
export async function createOrder(
  db: Database,
  order: NewOrder,
  replay: Replayable | null,
  rateLockId: string | null,
): Promise<CreatedOrder | undefined> {
  const idempotency = [
    order.agent_key_id,
    replay?.key ?? null,
    replay?.requestHash ?? null,
    replay ? JSON.stringify(replay.response) : null,
    order.id,
    rateLockId,
  ];
  const columns = COLUMNS.map((column) => order[column]);
  try {
    const values = [...idempotency, ...columns];
    const [row] = await db.query<{ auto_claims: boolean }>('order-create', CREATE, values);
    return row && { autoClaims: row.auto_claims };
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'orders_user_id_foreign') {
      throw new DomainError('unknown_user', `Unknown user_id ${order.user_id}: create the user first`);
    }
    throw error;
  }
}

/** The record of an idempotency key of this agent, if it has been used. */
export const findReplay = (db: Database, agentKeyId: number, key: string) =>
  db.em().findOne(IdempotencyKey, { agent_key_id: agentKeyId, key });

import { IdempotencyKey } from '../db/entities/order-log.ts';
import { violates } from '../db/errors.ts';
import type { Database } from '../db/orm.ts';
import { pausesToObey } from '../db/pauses.ts';
import { run, statement } from '../db/statement.ts';
import { DomainError } from '../domain/errors.ts';
import { paused } from '../domain/paused.ts';
import { exceedsExposure, exposureExceeded } from '../market/pricing/exposure.ts';
import { NEW_ORDER_COLUMNS, type NewOrder } from './new-order.ts';
import { snapshot } from './order-state-row.ts';
import type { PaymentView } from './payment.ts';

/** The idempotency key of a payment request, and the response that a replay gets. */
export interface Replayable {
  key: string;
  requestHash: Buffer;
  response: PaymentView;
}

export interface CreatedOrder {
  /** Whether any LP has auto-claim on. If not, the order's workflow does not search for one. */
  autoClaims: boolean;
}

const NEXT_ORDER = `select nextval('orders_id_seq') as id, now() as at`;

/** Returns an order id, and the time by the database's clock. */
export async function nextOrder(db: Database): Promise<{ id: number; at: Date }> {
  const [row] = await db.query<{ id: number; at: Date | string }>('order-id', NEXT_ORDER, []);
  if (!row) throw new Error('The sequence orders_id_seq returned no id');
  return { id: row.id, at: new Date(row.at) };
}

/** The new order. */
const PAYMENT = {
  agent: '$agent_key_id::bigint',
  currency: '$currency::varchar',
  method: '$corridor_method::varchar',
  chain: '$crypto_chain::varchar',
};

/**
 * The lock on the agent's row comes first, and every other lock follows it. So two payments of one agent cannot
 * deadlock.
 */
const CREATE = statement(
  'order-create',
  `
  with paused as (
    ${pausesToObey(PAYMENT)}
  ),
  exposure as materialized (
    select require_room_to_pay(id, $amount_usd::numeric) as has_room
    from agent_key where id = $agent_key_id::bigint and is_active and not exists (select from paused)
  ),
  rate as (
    select id, crypto_chain, crypto_symbol, amount_crypto from rate_lock
    where (select has_room from exposure)
      and id = $rateLockId::varchar and agent_key_id = $agent_key_id::bigint and order_id is null and expires_at > now()
    for update
  ),
  idempotency as (
    insert into idempotency_key (agent_key_id, key, request_hash, response, order_id)
    select $agent_key_id::bigint, $key, $requestHash, $response, $id::bigint
    from exposure
    where has_room and $key::varchar is not null and ($rateLockId::varchar is null or exists (select from rate))
    on conflict do nothing
    returning order_id
  ),
  o as (
    insert into orders (${NEW_ORDER_COLUMNS.join(', ')})
    select ${NEW_ORDER_COLUMNS.map((column) => `$${column}`).join(', ')}
    from exposure
    where has_room and ($key::varchar is null or exists (select from idempotency))
      and ($rateLockId::varchar is null or exists (select from rate))
    returning *
  ),
  event as (
    insert into order_event (order_id, seq, status, actor, cause, snapshot)
    select o.id, o.version, o.status, 'agent:' || o.agent_key_id, 'pay', ${snapshot('o')} from o
  ),
  used as (
    update rate_lock set order_id = o.id from o where rate_lock.id = $rateLockId::varchar
  ),
  kept as (
    update reserved_amount r set order_id = o.id, rate_lock_id = null, expires_at = null from o, rate
    where r.chain = rate.crypto_chain and r.symbol = rate.crypto_symbol and r.purpose = 'order' and r.amount = rate.amount_crypto
      and r.rate_lock_id = rate.id
  )
  select exists (select from o) as created, exists (select from lp_auto_claim where enabled) as auto_claims,
    (select has_room from exposure) as has_room, (select reason from paused) as paused`,
);

interface CreatedRow extends Record<string, unknown> {
  created: boolean;
  auto_claims: boolean;
  /** True, unless the agent's key is revoked or payments are paused. */
  has_room: boolean | null;
  paused: string | null;
}

/**
 * Creates an order, its first event and its idempotency record, and takes its rate lock, in one statement. Returns
 * undefined and writes nothing if another request has used the idempotency key or the rate lock, even a concurrent one,
 * or if the lock has expired. Throws `unknown_user` if there is no such user, and `paused` if a pause or an
 * incident stops such payments. Throws `agent_key_invalid` if the agent's key was revoked meanwhile, and `exposure_exceeded` above the
 * agent's limit. Returns `amount_taken` if another order or rate lock has the amount: a trigger reserves it.
 */
export async function createOrder(
  db: Database,
  order: NewOrder,
  replay: Replayable | null,
  rateLockId: string | null,
): Promise<CreatedOrder | 'amount_taken' | undefined> {
  const values = {
    ...Object.fromEntries(NEW_ORDER_COLUMNS.map((column) => [column, order[column] ?? null])),
    key: replay?.key ?? null,
    requestHash: replay?.requestHash ?? null,
    response: replay ? JSON.stringify(replay.response) : null,
    rateLockId,
  };
  try {
    const [row] = await run<CreatedRow>(db, CREATE, values);
    if (!row) return undefined;
    if (row.paused !== null) throw paused(row.paused);
    if (!row.has_room) throw new DomainError('agent_key_invalid');
    return row.created ? { autoClaims: row.auto_claims } : undefined;
  } catch (error) {
    if (violates(error, 'reserved_amount_pkey')) return 'amount_taken';
    if (violates(error, 'orders_user_id_foreign')) {
      throw new DomainError('unknown_user', `Unknown user_id ${order.user_id}: create the user first`);
    }
    if (exceedsExposure(error)) throw exposureExceeded(error, order.amount_usd);
    throw error;
  }
}

/**
 * Finds the request that used this idempotency key of the agent. `response`: its response, with the recipient masked.
 */
export async function findReplay(
  db: Database,
  agentKeyId: number,
  key: string,
): Promise<{ request_hash: Buffer; response: PaymentView } | undefined> {
  const found = await db.em().findOne(IdempotencyKey, { agent_key_id: agentKeyId, key });
  return found ? { request_hash: found.request_hash, response: found.response as PaymentView } : undefined;
}

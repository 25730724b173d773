import type { Order } from '../../db/entities/order.ts';
import type { Database } from '../../db/orm.ts';
import { AWAY_SINCE } from '../../db/outages.ts';
import { anyProcess, SILENT_AFTER } from '../../db/process-heartbeats.ts';
import type { OrderStatus } from '../../domain/order-state.ts';
import { listDeliveries } from '../../notify/webhooks/list-deliveries.ts';
import { findOrder } from '../../orders/find-order.ts';
import { listEvents } from '../../orders/list-orders.ts';
import { stoppingIncidents } from '../../orders/order-incidents.ts';
import { whyUnclaimable } from './unclaimable.ts';

/** Everything in the database about an order's state and its possible blockers. */
export type OrderCase = NonNullable<Awaited<ReturnType<typeof orderCase>>>;

/** Undefined: there is no such order. Rejects when the database does not answer. `coolDown`: an LP's first one after a strike, in ms. */
export async function orderCase(db: Database, id: number, coolDown: number) {
  const order = await findOrder(db, id);
  if (!order) return undefined;
  return {
    order,
    events: await listEvents(db, order),
    deliveries: await listDeliveries(db, id),
    pauses: await claimPauses(db, order),
    stoppedBy: await stoppingIncidents(db, id),
    keyExpiredAt: await keyExpiry(db, order),
    unclaimable: await whyUnclaimable(db, order, coolDown),
    service: await serviceOf(db, id),
  };
}

const PAUSES = `
  select reason from pause
  where (currency is null or currency = $2) and (agent_key_id is null or agent_key_id = $1)`;

/** The reasons of the pauses that stop the order's claim, if it waits for one. */
async function claimPauses(db: Database, { status, agent_key_id, currency }: Order): Promise<string[]> {
  if (status !== 'matched') return [];
  const pauses = await db.query<{ reason: string }>('order-case-pauses', PAUSES, [agent_key_id, currency]);
  return pauses.map(({ reason }) => reason);
}

const KEY_EXPIRY = 'select expires_at from agent_key where id = $1 and is_active and expires_at <= now()';

/** The statuses in which an order needs its agent's key: to be claimed, confirmed or settled. */
const NEEDS_KEY: readonly OrderStatus[] = ['matched', 'claimed', 'fiat_sent', 'confirmed'];

/** When the key of the order's agent expired, ISO 8601; null: it has not expired, or the order does not need it. */
async function keyExpiry(db: Database, { status, agent_key_id }: Order): Promise<string | null> {
  if (!NEEDS_KEY.includes(status)) return null;
  const [key] = await db.query<{ expires_at: string }>('order-case-key', KEY_EXPIRY, [agent_key_id]);
  return key ? new Date(key.expires_at).toISOString() : null;
}

const SERVICE = `
  select now() as now,
    ${AWAY_SINCE} as away_since,
    (select asked_at from unanswered_order where order_id = $1) as unanswered_at`;

/** The availability of the service, from its heartbeats. Times are ISO 8601. */
export interface Service {
  /** The database's clock. */
  now: string;
  api: boolean;
  worker: boolean;
  /** Since when the service has been away, so that no deadline expires; otherwise null. */
  awaySince: string | null;
  /** When a request about the order last got no answer, if within the last hour; otherwise null. */
  unansweredAt: string | null;
}

async function serviceOf(db: Database, id: number): Promise<Service> {
  const [times] = await db.query<Record<string, string | null>>('order-case-service', SERVICE, [id]);
  const time = (name: string) => (times?.[name] ? new Date(times[name]).toISOString() : null);
  return {
    now: time('now') ?? '',
    api: await anyProcess(db, 'api', SILENT_AFTER),
    worker: await anyProcess(db, 'worker', SILENT_AFTER),
    awaySince: time('away_since'),
    unansweredAt: time('unanswered_at'),
  };
}

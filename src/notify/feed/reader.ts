import type { Database } from '../../db/orm.ts';
import type { Chain } from '../../domain/assets.ts';
import type { Delivery } from '../../domain/delivery.ts';
import { type FeedPosition, isAfter } from '../../domain/feed-cursor.ts';
import type { OrderStatus } from '../../domain/order-state.ts';
import type { BoundRecipientCheck } from '../../domain/recipient-check.ts';
import { corridorKey } from '../../market/lps/market.ts';

type Details = Record<string, string>;

/** The public columns of an order after an event. */
export interface Snapshot {
  id: number;
  lp_id: number | null;
  amount_fiat: number;
  currency: string;
  amount_usd: number;
  amount_crypto: number;
  spread_bps: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  status: OrderStatus;
  timeout_at: string | null;
  created_at: string;
}

export interface FeedEvent extends FeedPosition {
  from: OrderStatus | null;
  status: OrderStatus;
  /** Why it moved. Null if nobody gave a reason. */
  reason: string | null;
  reasonCode: string | null;
  snapshot: Snapshot;
  /** The LP of the order before the event; null for none. */
  previousLpId: number | null;
  excludedLpIds: number[];
  /** The order's present owner, and the recipient data that only the owner sees; null: no LP owns the order. */
  payee: {
    lpId: number;
    recipient_name: string | null;
    recipient_details: Details | null;
    recipient_check: BoundRecipientCheck | null;
  } | null;
  /** The delivery of the fiat. Other LPs than the order's owner see the recipient masked. */
  delivery: Pick<Delivery, 'method' | 'institution' | 'recipient'>;
  /** The `corridorKey` under which LPs' terms for the order are found. */
  corridor: string;
  /** Its token, as `LpMarket.assets` names it. */
  token: string;
}

export interface FeedPage {
  events: FeedEvent[];
  /** Where the next read begins. */
  next: FeedPosition;
  /** Whether more events are ready, or will be once the open transactions before them have ended. */
  more: boolean;
}

interface FeedRow {
  horizon: string;
  pending: boolean;
  xid: string | null;
  order_id: number;
  seq: number;
  from_status: OrderStatus | null;
  status: OrderStatus;
  reason: string | null;
  reason_code: string | null;
  snapshot: Snapshot;
  previous_lp_id: number | null;
  excluded_lp_ids: (string | number)[];
  owned: boolean;
  lp_id: number | null;
  recipient: string;
  recipient_name: string | null;
  recipient_details: Details | null;
  recipient_check: BoundRecipientCheck | null;
  method: string;
  corridor_method: string;
  institution: string | null;
}

const EVENT = `e.xid::text as xid, e.order_id, e.seq, e.from_status, e.status, e.reason, e.reason_code, e.snapshot,
      (previous.snapshot ->> 'lp_id')::bigint as previous_lp_id,
      o.excluded_lp_ids, o.lp_receive_address is not null as owned, o.lp_id, o.recipient, o.recipient_name,
      o.recipient_details, o.recipient_check, o.method, o.corridor_method,
      o.institution
    from order_event e
    join orders o on o.id = e.order_id
    left join order_event previous on previous.order_id = e.order_id and previous.seq = e.seq - 1`;

const READ = `
  select horizon.xmin::text as horizon,
    exists (select from order_event where xid >= horizon.xmin) as pending,
    event.*
  from (select feed_horizon() as xmin) horizon
  left join lateral (
    select ${EVENT}
    where (e.xid, e.order_id, e.seq) > ($1::xid8, $2::bigint, $3::int) and e.xid < horizon.xmin
    order by e.xid, e.order_id, e.seq
    limit $4
  ) event on true
  order by event.xid::xid8, event.order_id, event.seq`;

/** The next events after a position. */
export async function readFeed(db: Database, after: FeedPosition, limit: number): Promise<FeedPage> {
  const rows = await db.query<FeedRow>('feed-read', READ, [after.xid, after.orderId, after.seq, limit]);
  const horizon = { xid: rows[0]?.horizon ?? after.xid, orderId: 0, seq: 0 };
  const events = rows.flatMap((row) => (row.xid === null ? [] : [feedEvent(row, row.xid)]));
  const last = events.length === limit ? events.at(-1) : undefined;
  // On another connection the horizon may still be before the reader's position.
  const end = isAfter(horizon, after) ? horizon : after;
  const next = last ? { xid: last.xid, orderId: last.orderId, seq: last.seq } : end;
  return { events, next, more: last !== undefined || (rows[0]?.pending ?? false) };
}

const ONE = `select ${EVENT} where e.order_id = $1 and e.seq = $2`;

/** One event in its present form for a reader of the feed. Undefined: there is no such event. */
export async function readEvent(db: Database, orderId: number, seq: number): Promise<FeedEvent | undefined> {
  const [row] = await db.query<FeedRow & { xid: string }>('feed-event', ONE, [orderId, seq]);
  return row && feedEvent(row, row.xid);
}

const HORIZON = 'select feed_horizon()::text as xid';

/** The end of the feed: every transaction before it has either committed or rolled back. */
export async function feedEnd(db: Database): Promise<FeedPosition> {
  const rows = await db.query<{ xid: string }>('feed-end', HORIZON, []);
  return { xid: rows[0]?.xid ?? '0', orderId: 0, seq: 0 };
}

function feedEvent(row: FeedRow, xid: string): FeedEvent {
  const {
    order_id,
    seq,
    from_status,
    status,
    reason,
    reason_code: reasonCode,
    snapshot,
    previous_lp_id,
    excluded_lp_ids,
  } = row;
  const { owned, lp_id: lpId, recipient, method, institution, corridor_method } = row;
  const { recipient_name, recipient_details, recipient_check } = row;
  return {
    xid,
    orderId: order_id,
    seq,
    from: from_status,
    status,
    reason,
    reasonCode,
    snapshot,
    previousLpId: previous_lp_id,
    excludedLpIds: excluded_lp_ids.map(Number),
    payee: owned && lpId !== null ? { lpId, recipient_name, recipient_details, recipient_check } : null,
    delivery: { method, institution, recipient },
    corridor: corridorKey({ currency: snapshot.currency, corridor_method }),
    token: `${snapshot.crypto_symbol} ${snapshot.crypto_chain}`,
  };
}

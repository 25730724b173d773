import type { Chain } from '../../domain/assets.ts';
import type { OrderStatus } from '../../domain/order-state.ts';
import type { Database } from '../orm.ts';

/**
 * A place in the feed of order events. Events stand in the order of their transactions' ids, and are read only when
 * no transaction with a lower id is still open: so nothing can ever appear behind a place that has been passed,
 * though transactions commit in any order. (A bare sequence number would let late commits be missed.)
 */
export interface FeedPosition {
  /** Decimal, without leading zeros. */
  xid: string;
  orderId: number;
  seq: number;
  /** The next event has been told in part: see `amidst`. */
  offerTold?: true;
}

/** Before everything. */
export const FEED_START: FeedPosition = { xid: '0', orderId: 0, seq: 0 };

/** What the columns hold. */
const MAX_XID = 2n ** 64n - 1n;
const MAX_SEQ = 2 ** 31 - 1;
const CURSOR = /^(\d{1,20})\.(\d{1,15})\.(\d{1,9})(\.told)?$/;

export const cursorOf = ({ xid, orderId, seq, offerTold }: FeedPosition): string =>
  `${xid}.${orderId}.${seq}${offerTold ? '.told' : ''}`;

/** The place in the middle of an event: what it means for the offers has been told, for an order's owner not yet. */
export const amidst = ({ xid, orderId, seq }: FeedPosition): FeedPosition => ({
  xid,
  orderId,
  seq: seq - 1,
  offerTold: true,
});

/** Undefined when the text is no cursor. */
export function positionFrom(cursor: string): FeedPosition | undefined {
  const [, xid, orderId, seq, told] = CURSOR.exec(cursor) ?? [];
  if (xid === undefined || BigInt(xid) > MAX_XID || Number(seq) > MAX_SEQ) return undefined;
  return {
    ...{ xid: String(BigInt(xid)), orderId: Number(orderId), seq: Number(seq) },
    ...(told ? { offerTold: true } : {}),
  };
}

/** Whether `a` stands behind `b`. */
export function isAfter(a: FeedPosition, b: FeedPosition): boolean {
  // Asked for each event and socket: of two texts without leading zeros the longer is the greater, with no bigint made.
  if (a.xid.length !== b.xid.length) return a.xid.length > b.xid.length;
  if (a.xid !== b.xid) return a.xid > b.xid;
  return a.orderId === b.orderId ? a.seq > b.seq : a.orderId > b.orderId;
}

/** The whitelisted columns of an order, as an event left them. */
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
  snapshot: Snapshot;
  /** The LP of the version before; null for none. */
  previousLpId: number | null;
  excludedLpIds: number[];
  /** Whom its owner pays, and who that is now; null while nobody owns it. */
  payee: { lpId: number; recipient: string; recipient_name: string | null; method: string } | null;
}

export interface FeedPage {
  events: FeedEvent[];
  /** Where to read on. */
  next: FeedPosition;
  /** There is more, or there soon will be: events whose turn has not come. */
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
  snapshot: Snapshot;
  previous_lp_id: number | null;
  excluded_lp_ids: (string | number)[];
  owned: boolean;
  lp_id: number | null;
  recipient: string;
  recipient_name: string | null;
  method: string;
}

const READ = `
  select horizon.xmin::text as horizon,
    exists (select from order_event where xid >= horizon.xmin) as pending,
    event.*
  from (select pg_snapshot_xmin(pg_current_snapshot()) as xmin) horizon
  left join lateral (
    select e.xid::text as xid, e.order_id, e.seq, e.from_status, e.status, e.snapshot,
      (previous.snapshot ->> 'lp_id')::bigint as previous_lp_id,
      o.excluded_lp_ids, o.lp_receive_address is not null as owned, o.lp_id, o.recipient, o.recipient_name, o.method
    from order_event e
    join orders o on o.id = e.order_id
    left join order_event previous on previous.order_id = e.order_id and previous.seq = e.seq - 1
    where (e.xid, e.order_id, e.seq) > ($1::xid8, $2::bigint, $3::int) and e.xid < horizon.xmin
    order by e.xid, e.order_id, e.seq
    limit $4
  ) event on true
  order by event.xid::xid8, event.order_id, event.seq`;

/** The next events behind a position. */
export async function readFeed(db: Database, after: FeedPosition, limit: number): Promise<FeedPage> {
  const rows = await db.query<FeedRow>('feed-read', READ, [after.xid, after.orderId, after.seq, limit]);
  const horizon = { xid: rows[0]?.horizon ?? after.xid, orderId: 0, seq: 0 };
  const events = rows.flatMap((row) => (row.xid === null ? [] : [feedEvent(row, row.xid)]));
  const last = events.length === limit ? events.at(-1) : undefined;
  // Read from an earlier connection, the horizon can lie behind where the reader already stands.
  const end = isAfter(horizon, after) ? horizon : after;
  const next = last ? { xid: last.xid, orderId: last.orderId, seq: last.seq } : end;
  return { events, next, more: last !== undefined || (rows[0]?.pending ?? false) };
}

const HORIZON = 'select pg_snapshot_xmin(pg_current_snapshot())::text as xid';

/** The feed's end: everything before it has been committed or never will be. */
export async function feedEnd(db: Database): Promise<FeedPosition> {
  const rows = await db.query<{ xid: string }>('feed-end', HORIZON, []);
  return { xid: rows[0]?.xid ?? '0', orderId: 0, seq: 0 };
}

function feedEvent(row: FeedRow, xid: string): FeedEvent {
  const { order_id, seq, from_status, status, snapshot, previous_lp_id, excluded_lp_ids } = row;
  const { owned, lp_id: lpId, recipient, recipient_name, method } = row;
  return {
    xid,
    orderId: order_id,
    seq,
    from: from_status,
    status,
    snapshot,
    previousLpId: previous_lp_id,
    excludedLpIds: excluded_lp_ids.map(Number),
    payee: owned && lpId !== null ? { lpId, recipient, recipient_name, method } : null,
  };
}

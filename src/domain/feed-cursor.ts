/**
 * A position in the feed of order events. The feed sorts events by the id of their transaction (the migrations shift
 * the ids of a restored database by `feed_offset`). The reader returns an event only when no transaction with a lower
 * id is still open. So no event can appear before a position that a reader has passed, even if transactions commit out
 * of order. With a plain sequence number, readers would miss late commits.
 */
export interface FeedPosition {
  /** Decimal, without leading zeros. */
  xid: string;
  orderId: number;
  seq: number;
  /** The reader has received the first half of the next event: see `betweenOfferAndOwner`. */
  offerSent?: true;
}

/** Before all events. */
export const FEED_START: FeedPosition = { xid: '0', orderId: 0, seq: 0 };

/** Before all events of this transaction. */
export const before = (xid: string): FeedPosition => ({ xid, orderId: 0, seq: 0 });

/** The largest transaction id that the column holds. The pattern keeps the other numbers within their columns. */
const MAX_XID = 2n ** 64n - 1n;
const CURSOR = /^(\d{1,20})\.(\d{1,15})\.(\d{1,9})(\.sent)?$/;

export const cursorOf = ({ xid, orderId, seq, offerSent }: FeedPosition): string =>
  `${xid}.${orderId}.${seq}${offerSent ? '.sent' : ''}`;

/** The position inside an event: after the change to the offers, before the change for the order's owner. */
export const betweenOfferAndOwner = ({ xid, orderId, seq }: FeedPosition): FeedPosition => ({
  xid,
  orderId,
  seq: seq - 1,
  offerSent: true,
});

/** Undefined: the text is not a cursor. */
export function parseCursor(cursor: string): FeedPosition | undefined {
  const [, xid, orderId, seq, sent] = CURSOR.exec(cursor) ?? [];
  if (xid === undefined || BigInt(xid) > MAX_XID) return undefined;
  return {
    ...{ xid: String(BigInt(xid)), orderId: Number(orderId), seq: Number(seq) },
    ...(sent ? { offerSent: true } : {}),
  };
}

/** Whether `a` comes after `b`. */
export function isAfter(a: FeedPosition, b: FeedPosition): boolean {
  // This runs for each event and socket. Decimal texts compare by length and then by characters, without bigint.
  if (a.xid.length !== b.xid.length) return a.xid.length > b.xid.length;
  if (a.xid !== b.xid) return a.xid > b.xid;
  return a.orderId === b.orderId ? a.seq > b.seq : a.orderId > b.orderId;
}

import { betweenOfferAndOwner, cursorOf, type FeedPosition } from '../../domain/feed-cursor.ts';
import { type OfferRow, offersOf } from '../../domain/offer-view.ts';
import { orderView } from '../../domain/order-view.ts';
import { reasonShownTo } from '../../domain/status-reasons.ts';
import { type LpMarket, rateNow, takes } from '../../market/lps/market.ts';
import { frameOf } from './frame.ts';
import type { OrderChange, OwnOrder } from './message-types.ts';
import type { FeedEvent } from './reader.ts';

export interface Audience {
  market: LpMarket;
  /** Empty: all. */
  currencies: string[];
}

/** The frames that one LP receives for an event: the change to its offers, then the change to its own order. */
export interface EventFrames {
  offer: Buffer | undefined;
  own: Buffer | undefined;
}

/**
 * The frames of an event for one LP. If an event causes both, the cursor of the first points between the two. So a
 * client that loses its connection there receives the second after it resumes.
 */
export function framesFor(event: FeedEvent, audience: Audience): EventFrames {
  const { offer, own } = changesOf(event, audience);
  return { offer: offer && cached(frames, offer, frameOfChange), own: own && frameOfChange(own) };
}

/** The same changes without frames, for LPs that poll. `after`: the position that the LP has reached. */
export function changesFor(event: FeedEvent, audience: Audience, after: FeedPosition): OrderChange[] {
  const { offer, own } = changesOf(event, audience);
  const offerSent = after.offerSent && cursorOf(after) === cursorOf(betweenOfferAndOwner(event));
  return [offerSent ? undefined : offer, own].filter((change) => change !== undefined);
}

function changesOf(event: FeedEvent, audience: Audience) {
  const own = ownOrderChange(event, audience.market.lpId);
  const offer = offerChange(event, audience);
  return { own, offer: own && offer ? { ...offer, cursor: cursorOf(betweenOfferAndOwner(event)) } : offer };
}

function offerChange(event: FeedEvent, audience: Audience): OrderChange | undefined {
  const { snapshot, status, from } = event;
  const changesOffers = status === 'matched' || from === 'matched';
  if (!changesOffers || !mayKnow(event, audience)) return undefined;
  const { lpId, tier, terms, assets } = audience.market;
  const ownTerms = terms.get(event.corridor);
  if (!ownTerms) return undefined;
  const made = cached(shared, event, newSharedChanges);
  // A frozen order has no deadline. When an admin unfreezes it, the order opens again.
  if (status !== 'matched' || snapshot.timeout_at === null) return made.close();
  // The LP's terms or tokens may have changed since an earlier offer, or its claim may have failed. Such an order still closes,
  // but does not open again.
  if (event.excludedLpIds.includes(lpId)) return undefined;
  if (!takes(ownTerms, snapshot.amount_fiat) || !takesToken(event, assets)) return undefined;
  return made.openTo(tier, rateNow(ownTerms));
}

/** All sockets of a process receive the same event objects, so LPs share the changes that are equal for them. */
interface SharedChanges {
  close: () => OrderChange;
  openTo: (tier: number, ownRate: string | null) => OrderChange;
}
const shared = new WeakMap<FeedEvent, SharedChanges>();
const frames = new WeakMap<OrderChange, Buffer>();

function newSharedChanges(event: FeedEvent): SharedChanges {
  const { status, orderId: id } = event;
  const cursor = cursorOf(event);
  let closed: OrderChange | undefined;
  let offerTo: ReturnType<typeof offersOf> | undefined;
  /** By the rate, then by the tier. Building one key from both takes longer, and this runs for each event and socket. */
  const opened = new Map<string | null, OrderChange[]>();
  return {
    close: () => {
      closed ??= { type: 'order.closed', cursor, id, reason: status === 'matched' ? 'frozen' : status };
      return closed;
    },
    openTo: (tier, ownRate) => {
      const byTier = cached(opened, ownRate, () => []);
      offerTo ??= offersOf(offerRow(event));
      byTier[tier] ??= { type: 'order.open', cursor, order: offerTo(tier, ownRate) };
      return byTier[tier];
    },
  };
}

const frameOfChange = (change: OrderChange): Buffer => frameOf(JSON.stringify(change));

function cached<Key, Value>(
  cache: { get: (key: Key) => Value | undefined; set: (key: Key, value: Value) => unknown },
  key: Key,
  make: (key: Key) => Value,
): Value {
  const found = cache.get(key);
  if (found !== undefined) return found;
  const made = make(key);
  cache.set(key, made);
  return made;
}

function ownOrderChange(event: FeedEvent, lpId: number): OrderChange | undefined {
  const { snapshot, status, from, previousLpId } = event;
  const owns = status !== 'matched' && snapshot.lp_id === lpId && from !== null;
  const owned = from !== 'matched' && from !== null && previousLpId === lpId;
  // If the order was cancelled before any claim, the quoted LP never owned it.
  const neverClaimed = from === 'matched' && status === 'cancelled';
  if (!((owns && !neverClaimed) || owned)) return undefined;
  const { text, code } = reasonShownTo('lp', { text: event.reason, code: event.reasonCode });
  const view = { ...orderView(snapshot, 'public'), status_reason: text };
  const order = { ...view, ...(owns ? payeeFor(event, lpId) : {}) } as OwnOrder;
  return { type: 'order.updated', cursor: cursorOf(event), status_reason_code: code, order };
}

/**
 * Whether the LP is approved and wants the currency. It may once have been offered such an order, so it must learn that the order
 * closes.
 */
const mayKnow = ({ snapshot }: FeedEvent, { market, currencies }: Audience): boolean =>
  market.approved && (currencies.length === 0 || currencies.includes(snapshot.currency));

const takesToken = ({ token }: FeedEvent, assets: string[]): boolean =>
  assets.length === 0 || assets.includes(token);

/** The snapshot is JSON, so its NUMERIC values are numbers. While an order is open, `timeout_at` is its claim deadline. */
const offerRow = ({ snapshot, delivery }: FeedEvent): OfferRow => ({
  ...snapshot,
  ...delivery,
  amount_fiat: String(snapshot.amount_fiat),
  amount_usd: String(snapshot.amount_usd),
  amount_crypto: String(snapshot.amount_crypto),
  expires_at: snapshot.timeout_at ?? snapshot.created_at,
});

/** Another LP may own the order of an old event by now. Then this LP must not see the recipient. */
function payeeFor({ payee, delivery }: FeedEvent, lpId: number) {
  if (payee?.lpId !== lpId) return {};
  const { lpId: _, ...recipient } = payee;
  return { ...delivery, ...recipient };
}

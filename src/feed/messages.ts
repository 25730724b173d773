import { betweenOfferAndOwner, cursorOf, type FeedPosition } from '../domain/feed-cursor.ts';
import { type OfferRow, offersOf } from '../domain/offer-view.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import { orderView } from '../domain/order-view.ts';
import { corridorKey, type LpMarket, rateNow, takes } from '../lps/market.ts';
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
  const own = ownOrderChange(event, audience.market.lpId);
  const offer = offerChange(event, audience, own ? betweenOfferAndOwner(event) : event);
  return {
    offer: offer && sharedFrame(event, offer),
    own: own && frameOf(JSON.stringify(own)),
  };
}

/** The same changes without frames, for LPs that poll. `after`: the position that the LP has reached. */
export function changesFor(event: FeedEvent, audience: Audience, after: FeedPosition): OrderChange[] {
  const own = ownOrderChange(event, audience.market.lpId);
  const between = betweenOfferAndOwner(event);
  const offerSent = after.offerSent && cursorOf(after) === cursorOf(between);
  const offer = offerSent ? undefined : offerChange(event, audience, own ? between : event);
  return [offer?.make(), own].filter((change) => change !== undefined);
}

/** A change that is the same for all LPs with the same key. */
interface SharedChange {
  key: string;
  make: () => OrderChange;
}

function offerChange(event: FeedEvent, audience: Audience, place: FeedPosition): SharedChange | undefined {
  const { snapshot, orderId: id, status, from } = event;
  const changesOffers = status === 'matched' || from === 'matched';
  if (!changesOffers || !mayKnow(event, audience)) return undefined;
  const terms = audience.market.terms.get(
    corridorKey({ currency: snapshot.currency, corridor_method: event.corridorMethod }),
  );
  if (!terms) return undefined;
  const cursor = cursorOf(place);
  const { tier } = audience.market;
  const closed = (reason: OrderStatus | 'frozen'): SharedChange => ({
    key: cursor,
    make: () => ({ type: 'order.closed', cursor, id, reason }),
  });
  // A frozen order has no deadline. When an admin unfreezes it, the order opens again.
  if (status === 'matched' && snapshot.timeout_at === null) return closed('frozen');
  if (status !== 'matched') return closed(status);
  // The LP's terms or tokens may have changed since an earlier offer, or its claim may have failed. Such an order still closes,
  // but does not open again.
  if (event.excludedLpIds.includes(audience.market.lpId)) return undefined;
  if (!takes(terms, snapshot.amount_fiat) || !takesToken(event, audience.market)) return undefined;
  const ownRate = rateNow(terms);
  const make = (): OrderChange => {
    const offerTo = cached(offers, event, () => offersOf(offerRow(event)));
    return { type: 'order.open', cursor, order: offerTo(tier, ownRate) };
  };
  return { key: `${cursor} ${tier} ${ownRate}`, make };
}

/** All sockets of a process receive the same event objects, so each shared frame is made once per event. */
const frames = new WeakMap<FeedEvent, Map<string, Buffer>>();
const offers = new WeakMap<FeedEvent, ReturnType<typeof offersOf>>();

const sharedFrame = (event: FeedEvent, { key, make }: SharedChange): Buffer =>
  cached(
    cached(frames, event, () => new Map()),
    key,
    () => frameOf(JSON.stringify(make())),
  );

function cached<Key, Value extends object>(
  cache: { get: (key: Key) => Value | undefined; set: (key: Key, value: Value) => unknown },
  key: Key,
  make: () => Value,
): Value {
  const found = cache.get(key) ?? make();
  cache.set(key, found);
  return found;
}

function ownOrderChange(event: FeedEvent, lpId: number): OrderChange | undefined {
  const { snapshot, status, from, previousLpId } = event;
  const owns = status !== 'matched' && snapshot.lp_id === lpId && from !== null;
  const owned = from !== 'matched' && from !== null && previousLpId === lpId;
  // If the order was cancelled before any claim, the quoted LP never owned it.
  const neverClaimed = from === 'matched' && status === 'cancelled';
  if (!((owns && !neverClaimed) || owned)) return undefined;
  const view = { ...orderView(snapshot, 'public'), status_reason: event.reason };
  const order = { ...view, ...(owns ? payeeFor(event, lpId) : {}) } as OwnOrder;
  return { type: 'order.updated', cursor: cursorOf(event), order };
}

/**
 * Whether the LP is approved and wants the currency. It may once have been offered such an order, so it must learn that the order
 * closes.
 */
const mayKnow = ({ snapshot }: FeedEvent, { market, currencies }: Audience): boolean =>
  market.approved && (currencies.length === 0 || currencies.includes(snapshot.currency));

const takesToken = (event: FeedEvent, { assets }: LpMarket): boolean =>
  assets.length === 0 || assets.includes(tokenOf(event));

const tokenOf = ({ snapshot }: FeedEvent): string => `${snapshot.crypto_symbol} ${snapshot.crypto_chain}`;

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

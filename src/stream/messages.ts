import { amidst, cursorOf, type FeedEvent, type FeedPosition, type Snapshot } from '../db/queries/feed.ts';
import type { LpMarket } from '../db/queries/lp-market.ts';
import { type OfferRow, type OfferView, offersOf } from '../domain/offer-view.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import { type OrderView, orderView } from '../domain/order-view.ts';
import { frameOf } from './frame.ts';

/** An order of the LP's own, with whom to pay once it owns it. */
export type OwnOrder = OrderView & { recipient?: string; recipient_name?: string | null; method?: string };

/** What the service says on the socket. Each change carries the place in the feed to resume behind. */
export type FeedMessage =
  | { type: 'hello'; cursor: string; heartbeat_ms: number }
  | { type: 'snapshot'; cursor: string; orders: OfferView[] }
  | { type: 'resumed'; cursor: string }
  | { type: 'order.open'; cursor: string; order: OfferView }
  | { type: 'order.updated'; cursor: string; order: OwnOrder }
  | { type: 'order.closed'; cursor: string; id: number; reason: OrderStatus | 'frozen' }
  | { type: 'error'; error: string };

export interface Audience {
  market: LpMarket;
  /** Empty: all. */
  currencies: string[];
}

/** What one event means to one LP, ready to be written to its socket: of its offer, and of the order as its own. */
export interface News {
  offer: Buffer | undefined;
  own: Buffer | undefined;
}

/** Whoever is cut off between the two is told the second. */
export function newsFor(event: FeedEvent, audience: Audience): News {
  const own = ownNews(event, audience.market.lpId);
  return {
    offer: offerNews(event, audience, own ? amidst(event) : event),
    own: own && frameOf(JSON.stringify(own)),
  };
}

function offerNews(event: FeedEvent, audience: Audience, place: FeedPosition): Buffer | undefined {
  const { snapshot, orderId: id, status, from } = event;
  const concernsOffers = status === 'matched' || from === 'matched';
  if (!concernsOffers || !isOffered(event, audience)) return undefined;
  const cursor = cursorOf(place);
  const { tier, rates } = audience.market;
  const closed = (reason: OrderStatus | 'frozen') =>
    shared(event, cursor, () => ({ type: 'order.closed', cursor, id, reason }));
  // An admin has stopped its clock; when it goes on, the order is open again.
  if (status === 'matched' && snapshot.timeout_at === null) return closed('frozen');
  if (status !== 'matched') return closed(status);
  const ownRate = rates.get(snapshot.currency) ?? null;
  return shared(event, `${cursor} ${tier} ${ownRate}`, () => {
    const offerTo = once(offers, event, () => offersOf(offerRow(snapshot)));
    return { type: 'order.open', cursor, order: offerTo(tier, ownRate) };
  });
}

/** All who listen in this process get the same events: what many of them are told alike is made once. */
const frames = new WeakMap<FeedEvent, Map<string, Buffer>>();
const offers = new WeakMap<FeedEvent, ReturnType<typeof offersOf>>();

const shared = (event: FeedEvent, key: string, make: () => FeedMessage): Buffer =>
  once(
    once(frames, event, () => new Map()),
    key,
    () => frameOf(JSON.stringify(make())),
  );

function once<Key, Value extends object>(
  made: { get: (key: Key) => Value | undefined; set: (key: Key, value: Value) => unknown },
  key: Key,
  make: () => Value,
): Value {
  const found = made.get(key) ?? make();
  made.set(key, found);
  return found;
}

function ownNews(event: FeedEvent, lpId: number): FeedMessage | undefined {
  const { snapshot, status, from, previousLpId } = event;
  const owns = status !== 'matched' && snapshot.lp_id === lpId && from !== null;
  const owned = from !== 'matched' && from !== null && previousLpId === lpId;
  // A quoted LP does not own the order: a claim deadline that passes is no news of an order of its own.
  const neverClaimed = from === 'matched' && status === 'cancelled';
  if (!((owns && !neverClaimed) || owned)) return undefined;
  const order = { ...orderView(snapshot, 'public'), ...(owns ? payeeFor(event, lpId) : {}) };
  return { type: 'order.updated', cursor: cursorOf(event), order };
}

function isOffered({ snapshot, excludedLpIds }: FeedEvent, { market, currencies }: Audience): boolean {
  if (!market.approved) return false;
  if (excludedLpIds.includes(market.lpId)) return false;
  if (currencies.length > 0 && !currencies.includes(snapshot.currency)) return false;
  return (
    market.assets.length === 0 || market.assets.includes(`${snapshot.crypto_symbol} ${snapshot.crypto_chain}`)
  );
}

/** JSON shows NUMERIC as numbers; while an order is open, its deadline is that for claiming. */
const offerRow = (snapshot: Snapshot): OfferRow => ({
  ...snapshot,
  amount_fiat: String(snapshot.amount_fiat),
  amount_usd: String(snapshot.amount_usd),
  amount_crypto: String(snapshot.amount_crypto),
  expires_at: snapshot.timeout_at ?? snapshot.created_at,
});

/** Told again from an old cursor, an order may long be another LP's: whom that one pays is not for this one. */
function payeeFor({ payee }: FeedEvent, reader: number) {
  if (payee?.lpId !== reader) return {};
  const { recipient, recipient_name, method } = payee;
  return { recipient, recipient_name, method };
}

import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals';
import { now } from '../clock.ts';
import { loadCorridors } from '../delivery.ts';
import { createResource, type Resource } from '../resource.ts';
import { callApi, lpPath, session } from '../session.ts';
import { countUnseen } from '../unseen.ts';
import { type FeedState, openFeed } from './feed.ts';
import { applyMessage, NO_OFFERS, type Offers, rankOffers } from './offers.ts';
import { mergeOptimistic, type OptimisticOrders } from './optimistic-orders.ts';
import type { Dashboard, ExplainedTerms, FeedMessage, Offer, OwnOrder } from './shapes.ts';
import { ring } from './sound.ts';

/** The state that an LP's pages share: its dashboard, the open orders and its own orders. One for each session. */
export interface Desk {
  dashboard: Resource<Dashboard>;
  offers: Signal<Offers>;
  /** The open orders, best first, without those that the LP is claiming. */
  market: ReadonlySignal<Offer[]>;
  feed: Signal<FeedState>;
  optimistic: Signal<OptimisticOrders>;
  /** Orders whose step the service has accepted: their optimistic update ends when the dashboard is next read. */
  accepted: Set<number>;
  /** The LP's own orders with the optimistic updates, newest first. */
  orders: ReadonlySignal<OwnOrder[]>;
  /** Collateral that new orders can lock, in USD. */
  available: ReadonlySignal<number>;
}

/** The desk of the signed-in LP. */
export const desk = signal<Desk | null>(null);

/**
 * The feed announces changes. Polling the dashboard finds changes that the feed missed, less often while the feed is
 * live.
 */
const REFRESH_MS = 3_000;
const TICKS_PER_REFRESH_WHILE_LIVE = 10;

/** The fields of the terms that determine which orders the service offers, and at which profit. */
const filterOf = ({ currency, method, rate_usd, valid_until, min, max, float, quoting }: ExplainedTerms) => [
  ...[currency, method, rate_usd, valid_until, min, max, float, quoting],
];

function openDesk(): { desk: Desk; close: () => void } {
  const dashboard = createResource((signal) => callApi<Dashboard>('GET', lpPath('/dashboard'), { signal }));
  const offers = signal(NO_OFFERS);
  const optimistic = signal<OptimisticOrders>(new Map());
  const accepted = new Set<number>();
  const state = signal<FeedState>('connecting');
  // Each accepted step reloads the dashboard, which aborts an older read. So data that arrives here includes the step.
  const stopRemovingAccepted = effect(() => {
    if (dashboard.data.value === null) return;
    const before = optimistic.peek();
    const remaining = [...before].filter(([id]) => !accepted.has(id));
    accepted.clear();
    if (remaining.length < before.size) optimistic.value = new Map(remaining);
  });

  const feed = openFeed({
    cursor: () => offers.peek().cursor,
    onState: (next) => {
      state.value = next;
      // After an outage the pages show current data immediately, not only after the next tick.
      if (next === 'broken' || (next === 'live' && dashboard.error.peek())) void refresh();
    },
    onMessage,
  });
  // The service filters a socket's offers by the terms that held when the socket opened. A bot or an admin can change them.
  let termsOfSocket: string | undefined;
  const stopFollowingTerms = effect(() => {
    const read = dashboard.data.value;
    if (read === null) return;
    const terms = JSON.stringify([read.rates.map(filterOf), read.assets, read.lp.tier, read.lp.status]);
    if (termsOfSocket !== undefined && terms !== termsOfSocket) untracked(restartFeed);
    termsOfSocket = terms;
  });
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (state.value !== 'live' || ticks % TICKS_PER_REFRESH_WHILE_LIVE === 0) void refresh();
  }, REFRESH_MS);
  void refresh();
  void loadCorridors();

  const desk: Desk = {
    dashboard,
    offers,
    feed: state,
    optimistic,
    accepted,
    market: computed(() =>
      rankOffers(offers.value.byId.values()).filter(
        ({ id, expires_at }) => !optimistic.value.has(id) && Date.parse(expires_at) > now.value,
      ),
    ),
    orders: computed(() => mergeOptimistic(dashboard.data.value?.my_orders ?? [], optimistic.value)),
    available: computed(() => dashboard.data.value?.lp.collateral.available ?? 0),
  };
  return {
    desk,
    close: () => {
      clearInterval(timer);
      stopRemovingAccepted();
      stopFollowingTerms();
      feed.close();
      dashboard.stop();
    },
  };

  function onMessage(message: FeedMessage): void {
    // The service does not know the cursor, for example because it runs on another database now.
    if (message.type === 'error') offers.value = { ...offers.value, cursor: null };
    const update = applyMessage(offers.value, message);
    offers.value = update.offers;
    if (update.hasOwnChange) void dashboard.reload();
    for (const _ of update.opened) countUnseen();
    if (update.opened.length > 0) ring();
  }

  function restartFeed(): void {
    offers.value = { ...offers.value, cursor: null };
    feed.restart();
  }

  /**
   * While the feed is broken, the dashboard's newest open orders replace its offers. The feed then restarts with a
   * snapshot.
   */
  async function refresh(): Promise<void> {
    await dashboard.reload();
    const read = dashboard.data.value;
    if (state.value !== 'broken' || dashboard.error.value || !read) return;
    offers.value = { byId: new Map(read.open_orders.map((order) => [order.id, order])), cursor: null };
  }
}

// This must follow everything that it uses: the effect runs immediately.
effect(() => {
  const role = session.value?.role;
  if (role !== 'lp') return;
  const opened = untracked(openDesk);
  desk.value = opened.desk;
  return () => {
    desk.value = null;
    opened.close();
  };
});

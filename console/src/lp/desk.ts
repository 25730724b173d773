import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals';
import { now } from '../clock.ts';
import { noteNews } from '../news.ts';
import { createResource, type Resource } from '../resource.ts';
import { ask, lpPath, session } from '../session.ts';
import { type Beliefs, believed } from './beliefs.ts';
import { type FeedState, openFeed } from './feed.ts';
import { hear, NO_OFFERS, type Offers, ranked } from './offers.ts';
import type { Dashboard, FeedMessage, Offer, OwnOrder } from './shapes.ts';
import { ring } from './sound.ts';

/** What an LP works at: its standing, the market as it is now, and its own orders. One for each session. */
export interface Desk {
  key: string;
  dashboard: Resource<Dashboard>;
  offers: Signal<Offers>;
  /** Best first, without those that are being claimed. */
  market: ReadonlySignal<Offer[]>;
  feed: Signal<FeedState>;
  beliefs: Signal<Beliefs>;
  /** Orders whose step the service has answered: what is believed of them holds until the dashboard is read again. */
  answered: Set<number>;
  /** The LP's own orders, newest first, as they are believed to be. */
  orders: ReadonlySignal<OwnOrder[]>;
  /** USD that new orders may lock. */
  available: ReadonlySignal<number>;
}

/** The desk of the LP that is signed in. */
export const desk = signal<Desk | null>(null);

/** The feed tells of what moves; this mends what it did not. More often while it is broken. */
const LOOK_EVERY_MS = 3_000;
const LOOKS_SPARED_WHILE_LIVE = 10;

function openDesk(key: string): { desk: Desk; close: () => void } {
  const dashboard = createResource((signal) => ask<Dashboard>('GET', lpPath(key, '/dashboard'), { signal }));
  const offers = signal(NO_OFFERS);
  const beliefs = signal<Beliefs>(new Map());
  const answered = new Set<number>();
  const state = signal<FeedState>('connecting');
  // A reading that was under way before the answer is given up for one after it, so what is read here is as new.
  const stopBelieving = effect(() => {
    if (dashboard.data.value === null) return;
    const held = beliefs.peek();
    const left = [...held].filter(([id]) => !answered.has(id));
    answered.clear();
    if (left.length < held.size) beliefs.value = new Map(left);
  });

  const feed = openFeed({
    key,
    cursor: () => offers.peek().cursor,
    onState: (next) => {
      state.value = next;
      // What could not be read meanwhile is read as soon as the service is back.
      if (next === 'broken' || (next === 'live' && dashboard.error.peek())) void look();
    },
    onMessage,
  });
  // Its socket is offered orders by the terms that it began with, and they change elsewhere too: by a bot, by an admin.
  let begunWith: string | undefined;
  const stopFollowingTerms = effect(() => {
    const read = dashboard.data.value;
    if (read === null) return;
    const terms = JSON.stringify([read.rates, read.assets, read.lp.tier, read.lp.status]);
    if (begunWith !== undefined && terms !== begunWith) untracked(beginAnew);
    begunWith = terms;
  });
  let looks = 0;
  const looking = setInterval(() => {
    looks += 1;
    if (state.value !== 'live' || looks % LOOKS_SPARED_WHILE_LIVE === 0) void look();
  }, LOOK_EVERY_MS);
  void look();

  const desk: Desk = {
    key,
    dashboard,
    offers,
    feed: state,
    beliefs,
    answered,
    market: computed(() =>
      ranked(offers.value.byId.values()).filter(
        ({ id, expires_at }) => !beliefs.value.has(id) && Date.parse(expires_at) > now.value,
      ),
    ),
    orders: computed(() => believed(dashboard.data.value?.my_orders ?? [], beliefs.value)),
    available: computed(() => dashboard.data.value?.lp.collateral.available ?? 0),
  };
  return {
    desk,
    close: () => {
      clearInterval(looking);
      stopBelieving();
      stopFollowingTerms();
      feed.close();
      dashboard.stop();
    },
  };

  function onMessage(message: FeedMessage): void {
    // The service has lost the place, or another database is behind it.
    if (message.type === 'error') offers.value = { ...offers.value, cursor: null };
    const heard = hear(offers.value, message);
    offers.value = heard.offers;
    if (heard.ownMoved) void dashboard.reload();
    for (const _ of heard.opened) noteNews();
    if (heard.opened.length > 0) ring();
  }

  function beginAnew(): void {
    offers.value = { ...offers.value, cursor: null };
    feed.restart();
  }

  /** While the feed is broken, the dashboard's open orders stand in for it: the newest. The feed begins anew then. */
  async function look(): Promise<void> {
    await dashboard.reload();
    const read = dashboard.data.value;
    if (state.value !== 'broken' || dashboard.error.value || !read) return;
    offers.value = { byId: new Map(read.open_orders.map((order) => [order.id, order])), cursor: null };
  }
}

// Below what it needs: a page that is loaded anew has its session already, and opens the desk here and now.
effect(() => {
  const held = session.value;
  if (held?.role !== 'lp') return;
  const opened = untracked(() => openDesk(held.key));
  desk.value = opened.desk;
  return () => {
    desk.value = null;
    opened.close();
  };
});

import type { Random } from '../../test/support/random.ts';
import { type Action, byLp, expire, type Intention, pickAny } from './actions.ts';
import { lpOf, type MarketLp, type OrderSeen, type View } from './view.ts';

/** An order that a dishonest LP owns, in the status. */
function pickOwned(random: Random, view: View, status: OrderSeen['status']) {
  const owned = view.live.filter((order) => order.status === status && lpOf(view, order)?.isHonest === false);
  const order = pickAny(random, owned);
  const lp = order && lpOf(view, order);
  return lp && { order, lp };
}

const owned =
  (status: OrderSeen['status'], does: (lp: MarketLp, order: OrderSeen) => Action): Intention['choose'] =>
  (random, view) => {
    const one = pickOwned(random, view, status);
    return one && does(one.lp, one.order);
  };

const pickOpen = (random: Random, view: View) =>
  pickAny(
    random,
    view.live.filter(({ status }) => status === 'matched'),
  );

export const DISHONEST_LPS: Intention[] = [
  {
    // Some of them are suspended, or cool down after a strike.
    what: 'all LPs claim an order at the same moment',
    weight: 4,
    choose: (random, view) => {
      const order = pickOpen(random, view);
      return order && { kind: 'together', actions: view.lps.map((lp) => byLp(lp, 'claim', order)) };
    },
  },
  {
    what: 'a dishonest LP claims an order',
    weight: 4,
    choose: (random, view) => {
      const [order, lp] = [
        pickOpen(random, view),
        pickAny(
          random,
          view.lps.filter(({ isHonest }) => !isHonest),
        ),
      ];
      return order && lp && byLp(lp, 'claim', order);
    },
  },
  {
    what: 'an LP that is suspended claims an order',
    weight: 2,
    choose: (random, view) => {
      const [order, lp] = [
        pickOpen(random, view),
        pickAny(
          random,
          view.lps.filter(({ isSuspended }) => isSuspended),
        ),
      ];
      return order && lp && byLp(lp, 'claim', order);
    },
  },
  {
    what: 'a dishonest LP lets its deadline pass',
    weight: 1.5,
    choose: owned('claimed', (lp, order) => expire(`lp:${lp.id}`, lp.key, order)),
  },
  {
    what: 'a dishonest LP releases an order',
    weight: 1,
    choose: owned('claimed', (lp, order) => byLp(lp, 'release', order)),
  },
  {
    what: 'a dishonest LP reports fiat',
    weight: 3,
    choose: owned('claimed', (lp, order) => byLp(lp, 'fiatSent', order)),
  },
  {
    what: 'a dishonest LP disputes',
    weight: 0.5,
    choose: owned('fiat_sent', (lp, order) => byLp(lp, 'dispute', order)),
  },
  {
    what: 'a dishonest LP requests a withdrawal that would look like the payment of an order',
    weight: 2,
    choose: (random, view) => {
      const order = pickAny(random, view.live);
      const payee = order && lpOf(view, order);
      const lp = pickAny(
        random,
        view.lps.filter(({ isHonest }) => !isHonest),
      );
      return order && payee && lp && { kind: 'withdrawLike', lp, order, payee };
    },
  },
  {
    what: 'an LP moves an order of another LP',
    weight: 2,
    choose: (random, view) => {
      const order = pickAny(random, view.live);
      const trigger = random.pick(['fiatSent', 'release', 'dispute'] as const);
      const lp = pickAny(
        random,
        view.lps.filter(({ id, isHonest }) => !isHonest && id !== order?.lpId),
      );
      return order && lp && byLp(lp, trigger, order);
    },
  },
];

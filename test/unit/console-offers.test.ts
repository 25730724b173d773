import { describe, expect, test } from '@jest/globals';
import { applyMessage, findBestClaimable, NO_OFFERS, rankOffers } from '../../console/src/lp/offers.ts';
import {
  addOptimistic,
  buildClaimedOrder,
  listActiveOrders,
  mergeOptimistic,
  removeOptimistic,
} from '../../console/src/lp/optimistic-orders.ts';
import type { FeedMessage, Offer } from '../../console/src/lp/shapes.ts';

const offer = (id: number, changes: Partial<Offer> = {}): Offer => ({
  id,
  status: 'matched',
  amount_fiat: 1_295,
  currency: 'KES',
  amount_usd: 10,
  crypto_symbol: 'usdt',
  crypto_chain: 'trx',
  amount_crypto: 10.05,
  method: 'mobile_money',
  institution: null,
  recipient_masked: '+2•••••••••56',
  collateral_required: 10,
  est_profit_usd: 0.1,
  expires_at: '2026-03-01T10:00:00.000Z',
  created_at: '2026-03-01T09:00:00.000Z',
  ...changes,
});
const NOW = Date.parse('2026-03-01T09:30:00.000Z');

function applyMessages(messages: FeedMessage[]) {
  let offers = NO_OFFERS;
  const opened: number[] = [];
  for (const message of messages) {
    const update = applyMessage(offers, message);
    offers = update.offers;
    opened.push(...update.opened.map(({ id }) => id));
  }
  return { ids: [...offers.byId.keys()], opened, cursor: offers.cursor };
}

describe('the open orders of the feed', () => {
  const snapshot: FeedMessage = { type: 'snapshot', cursor: 'a', orders: [offer(1), offer(2)] };

  test('start with a snapshot, whose orders do not count as newly opened', () => {
    expect(applyMessages([snapshot])).toEqual({ ids: [1, 2], opened: [], cursor: 'a' });
  });

  test('open and close, and count as newly opened once', () => {
    const messages: FeedMessage[] = [
      snapshot,
      { type: 'order.open', cursor: 'b', order: offer(3) },
      { type: 'order.open', cursor: 'c', order: offer(3, { est_profit_usd: 1 }) },
      { type: 'order.closed', cursor: 'd', id: 1, reason: 'claimed' },
      { type: 'order.closed', cursor: 'e', id: 99, reason: 'cancelled' },
    ];
    expect(applyMessages(messages)).toEqual({ ids: [2, 3], opened: [3], cursor: 'e' });
  });

  test('are replaced by a later snapshot, in which only unknown orders count as newly opened', () => {
    const later: FeedMessage = { type: 'snapshot', cursor: 'z', orders: [offer(2), offer(4)] };
    expect(applyMessages([snapshot, later])).toEqual({ ids: [2, 4], opened: [4], cursor: 'z' });
  });

  test('keep their cursor when a message is about no order', () => {
    const hello: FeedMessage = { type: 'hello', cursor: 'x', heartbeat_ms: 1 };
    expect(applyMessages([snapshot, hello, { type: 'error', error: 'what?' }]).cursor).toBe('a');
  });
});

describe('the next best order', () => {
  const limits = { available: 15, now: NOW };

  test('has the highest profit of those with enough collateral and time', () => {
    const offers = [
      offer(1, { est_profit_usd: 5, collateral_required: 15.01 }),
      offer(2, { est_profit_usd: 4, expires_at: '2026-03-01T09:30:00.000Z' }),
      offer(3, { est_profit_usd: 0.2, collateral_required: 15 }),
      offer(4, { est_profit_usd: 0.2, collateral_required: 14 }),
    ];
    expect(rankOffers(offers).map(({ id }) => id)).toEqual([1, 2, 4, 3]);
    expect(findBestClaimable(offers, limits)?.id).toBe(4);
  });

  test('is undefined if every order would lose money, or nobody knows what it earns', () => {
    const offers = [offer(1, { est_profit_usd: null }), offer(2, { est_profit_usd: -0.01 })];
    expect(findBestClaimable(offers, limits)).toBeUndefined();
    const unknown = offer(3, { est_profit_usd: null, collateral_required: 1 });
    expect(rankOffers([...offers, unknown]).map(({ id }) => id)).toEqual([2, 3, 1]);
  });
});

describe('optimistic updates of the LP’s orders', () => {
  test('replace the known orders until they are removed', () => {
    const known = [buildClaimedOrder(offer(1), NOW)];
    const sent = addOptimistic(new Map(), { ...buildClaimedOrder(offer(1), NOW), status: 'fiat_sent' });
    const both = addOptimistic(sent, buildClaimedOrder(offer(2), NOW));
    expect(mergeOptimistic(known, both).map(({ id, status }) => [id, status])).toEqual([
      [2, 'claimed'],
      [1, 'fiat_sent'],
    ]);
    expect(mergeOptimistic(known, removeOptimistic(removeOptimistic(both, 1), 2))).toEqual(known);
  });

  test('are active while the LP owns them and they have not ended', () => {
    const mine = buildClaimedOrder(offer(1), NOW);
    const orders = [mine, { ...mine, id: 2, owned: false }, { ...mine, id: 3, status: 'completed' as const }];
    expect(listActiveOrders(orders).map(({ id }) => id)).toEqual([1]);
  });
});

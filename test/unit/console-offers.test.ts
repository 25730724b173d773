import { describe, expect, test } from '@jest/globals';
import { asClaimed, believe, believed, forget, inHand } from '../../console/src/lp/beliefs.ts';
import { bestInReach, hear, NO_OFFERS, ranked } from '../../console/src/lp/offers.ts';
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
  collateral_required: 10,
  est_profit_usd: 0.1,
  expires_at: '2026-03-01T10:00:00.000Z',
  created_at: '2026-03-01T09:00:00.000Z',
  ...changes,
});
const NOW = Date.parse('2026-03-01T09:30:00.000Z');

function heard(messages: FeedMessage[]) {
  let offers = NO_OFFERS;
  const opened: number[] = [];
  for (const message of messages) {
    const next = hear(offers, message);
    offers = next.offers;
    opened.push(...next.opened.map(({ id }) => id));
  }
  return { ids: [...offers.byId.keys()], opened, cursor: offers.cursor };
}

describe('the open orders as the feed tells of them', () => {
  const snapshot: FeedMessage = { type: 'snapshot', cursor: 'a', orders: [offer(1), offer(2)] };

  test('begin with a snapshot, which is no news', () => {
    expect(heard([snapshot])).toEqual({ ids: [1, 2], opened: [], cursor: 'a' });
  });

  test('come and go, each told once as new', () => {
    const messages: FeedMessage[] = [
      snapshot,
      { type: 'order.open', cursor: 'b', order: offer(3) },
      { type: 'order.open', cursor: 'c', order: offer(3, { est_profit_usd: 1 }) },
      { type: 'order.closed', cursor: 'd', id: 1, reason: 'claimed' },
      { type: 'order.closed', cursor: 'e', id: 99, reason: 'cancelled' },
    ];
    expect(heard(messages)).toEqual({ ids: [2, 3], opened: [3], cursor: 'e' });
  });

  test('are replaced by a later snapshot, in which only what was not there is new', () => {
    const later: FeedMessage = { type: 'snapshot', cursor: 'z', orders: [offer(2), offer(4)] };
    expect(heard([snapshot, later])).toEqual({ ids: [2, 4], opened: [4], cursor: 'z' });
  });

  test('keep their place when nothing of them is said', () => {
    const hello: FeedMessage = { type: 'hello', cursor: 'x', heartbeat_ms: 1 };
    expect(heard([snapshot, hello, { type: 'error', error: 'what?' }]).cursor).toBe('a');
  });
});

describe('the next best order', () => {
  const means = { available: 15, now: NOW };

  test('earns most of those that the collateral and the time allow', () => {
    const offers = [
      offer(1, { est_profit_usd: 5, collateral_required: 15.01 }),
      offer(2, { est_profit_usd: 4, expires_at: '2026-03-01T09:30:00.000Z' }),
      offer(3, { est_profit_usd: 0.2, collateral_required: 15 }),
      offer(4, { est_profit_usd: 0.2, collateral_required: 14 }),
    ];
    expect(ranked(offers).map(({ id }) => id)).toEqual([1, 2, 4, 3]);
    expect(bestInReach(offers, means)?.id).toBe(4);
  });

  test('is none when all would cost the LP something', () => {
    expect(bestInReach([offer(1, { est_profit_usd: -0.01 })], means)).toBeUndefined();
  });
});

describe('what is believed of the LP’s orders', () => {
  test('stands in place of what is known, until it is forgotten', () => {
    const known = [asClaimed(offer(1), NOW)];
    const sent = believe(new Map(), { ...asClaimed(offer(1), NOW), status: 'fiat_sent' });
    const both = believe(sent, asClaimed(offer(2), NOW));
    expect(believed(known, both).map(({ id, status }) => [id, status])).toEqual([
      [2, 'claimed'],
      [1, 'fiat_sent'],
    ]);
    expect(believed(known, forget(forget(both, 1), 2))).toEqual(known);
  });

  test('that it has in hand is what it owns and has not ended', () => {
    const mine = asClaimed(offer(1), NOW);
    const orders = [mine, { ...mine, id: 2, owned: false }, { ...mine, id: 3, status: 'completed' as const }];
    expect(inHand(orders).map(({ id }) => id)).toEqual([1]);
  });
});

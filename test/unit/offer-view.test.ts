import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { autoClaim } from '../../src/domain/auto-claim.ts';
import { decimal, roundDown, SCALE, toPlain } from '../../src/domain/money.ts';
import {
  estimatedProfit,
  type OfferRow,
  offeredProfit,
  offersOf,
  offerView,
  ownOrderView,
} from '../../src/domain/offer-view.ts';

/** 10 USD at 129.5, no spread. */
const ROW: OfferRow = {
  id: 1,
  status: 'matched',
  amount_fiat: '1295.00',
  currency: 'KES',
  amount_usd: '10.000000',
  spread_bps: 0,
  crypto_symbol: 'usdt',
  crypto_chain: 'trx',
  amount_crypto: '10.050000',
  method: 'mobile_money',
  institution: 'mpesa',
  recipient: '+254700123456',
  expires_at: '2026-03-01 00:15:00+00',
  timeout_at: null,
  created_at: new Date(Date.UTC(2026, 2, 1)),
};

describe('an offer', () => {
  test.each([
    ['nobody knows what without a rate of the LP’s own', {}, null, null],
    ['nobody knows what without a rate of the LP’s own, with a spread', { spread_bps: 100 }, null, null],
    ['nobody knows what at a rate that is rounded to zero', {}, '0.00000000', null],
    ['at its cost', {}, '129.5', 0],
    ['at its cost, with a spread', { spread_bps: 100 }, '129.5', 0.1],
    ['at a better rate', {}, '140', 0.75],
    ['at a worse rate', {}, '129', -0.04],
    ['slightly less than a cent, which is rounded to zero', { spread_bps: 9 }, '129.5', 0],
    ['slightly less than zero, which is a loss', { amount_usd: '9.999999' }, '129.5', -0.01],
    ['the same, in a token of any price', { crypto_symbol: 'xrp', amount_crypto: '19.3' }, '140', 0.75],
  ])('earns %s', (_what, changes, ownRate, profit) => {
    expect(offerView({ ...ROW, ...changes }, 0, ownRate).est_profit_usd).toBe(profit);
  });

  test.each([
    [0, 10],
    [1, 7.5],
    [4, 1.5],
  ])('locks in tier %d %d USD', (tier, usd) => {
    expect(offerView(ROW, tier, null).collateral_required).toBe(usd);
  });

  test('lasts until its claim deadline, which is new when it is offered again', () => {
    expect(offerView(ROW, 0, null).expires_at).toBe('2026-03-01T00:15:00.000Z');
    const again = { ...ROW, timeout_at: '2026-03-01 01:00:00+00' };
    expect(offerView(again, 0, null).expires_at).toBe('2026-03-01T01:00:00.000Z');
    expect(offerView({ ...again, status: 'claimed' }, 0, null).expires_at).toBe('2026-03-01T00:15:00.000Z');
  });
});

test('an offer shows the method and the recipient of the fiat, with the recipient masked', () => {
  const { method, institution, recipient_masked } = offerView(ROW, 0, null);
  expect([method, institution, recipient_masked]).toEqual(['mobile_money', 'mpesa', '+2•••••••••56']);
  expect(JSON.stringify(offerView(ROW, 0, null))).not.toContain('+254700123456');
  expect(offerView({ ...ROW, institution: undefined }, 0, null).institution).toBeNull();
});

describe('an automatic claim', () => {
  const pair = { ...ROW, lp_id: 7, tier: 2, rate_usd: '129.5', available: '5.000000', min_profit_usd: '0' };

  test('is made if the collateral covers the tier', () => {
    expect(autoClaim(pair)).toEqual({ lpId: 7 });
  });

  test.each([
    ['the collateral is short', { available: '4.999999' }],
    ['the profit is short', { min_profit_usd: '0.000001' }],
    ['its own rate makes it a loss', { rate_usd: '129.49' }],
  ])('is not made if %s', (_what, changes) => {
    expect(autoClaim({ ...pair, ...changes })).toBeUndefined();
  });
});

test('the profit of an offer is the exact one, rounded down to cents', () => {
  const units = (max: number, places: number, min = 1) =>
    fc.integer({ min, max }).map((n) => toPlain(decimal(n).div(10 ** places), places));
  const terms = fc.record({
    amount_usd: units(1e12, SCALE.usd),
    amount_fiat: units(1e11, SCALE.fiat),
    spread_bps: fc.integer({ min: 0, max: 10_000 }),
  });
  // The feed has the amounts as numbers of JSON.
  const asNumber = (text: string) => String(Number(text));
  fc.assert(
    fc.property(terms, units(1e13, SCALE.rate, 1e6), (order, rate) => {
      const exact = roundDown(estimatedProfit(order, rate), SCALE.cents).toNumber();
      expect(offeredProfit(order)(rate)).toBe(exact);
      const amounts = { amount_usd: asNumber(order.amount_usd), amount_fiat: asNumber(order.amount_fiat) };
      expect(offeredProfit({ ...order, ...amounts })(rate)).toBe(exact);
    }),
  );
});

test('an offer states its claim deadline, however often the order was offered', () => {
  const again = { ...ROW, timeout_at: '2026-03-01 01:00:00+00' };
  expect(offerView(ROW, 0, null).expires_at).toBe('2026-03-01T00:15:00.000Z');
  expect(offerView(again, 0, null).expires_at).toBe('2026-03-01T01:00:00.000Z');
  // Once the order is claimed, the deadline is that of another stage.
  expect(offerView({ ...again, status: 'claimed' }, 0, null).expires_at).toBe('2026-03-01T00:15:00.000Z');
});

test('an offer to many LPs is the same for each as an offer to it alone', () => {
  const offer = offersOf(ROW);
  for (const tier of [0, 4, 0, 2, 4])
    for (const rate of [null, '140', '129']) expect(offer(tier, rate)).toEqual(offerView(ROW, tier, rate));
});

describe('an order of an LP', () => {
  const LP = { id: 7, tier: 0 };
  const HELD = {
    ...ROW,
    status: 'claimed' as const,
    lp_id: 7,
    timeout_at: new Date(Date.UTC(2026, 2, 1, 1)),
    lp_receive_address: 'TAddress',
    collateral_locked: '10.00',
    user_crypto_tx_hash: null,
    recipient_name: 'Amina',
    recipient_details: { phone: '+254700123456' },
  };
  const MEANS = [
    'collateral_locked',
    'lp_receive_address',
    'recipient',
    'recipient_name',
    'recipient_details',
  ] as const;

  test('shows the recipient of the fiat and the locked collateral', () => {
    expect(ownOrderView(HELD, LP)).toMatchObject({
      owned: true,
      timeout_at: '2026-03-01T01:00:00.000Z',
      collateral_locked: 10,
      lp_receive_address: 'TAddress',
      user_crypto_tx_hash: null,
      recipient: '+254700123456',
      recipient_name: 'Amina',
      recipient_details: { phone: '+254700123456' },
      method: 'mobile_money',
      institution: 'mpesa',
    });
  });

  test('shows the profit at its rate of the claim, or null without one', () => {
    expect(ownOrderView({ ...HELD, claim_rate_usd: '140.00000000' }, LP).est_profit_usd).toBe(0.75);
    expect(ownOrderView({ ...HELD, claim_rate_usd: null }, LP).est_profit_usd).toBeNull();
    const lost = { ...HELD, claim_rate_usd: '140.00000000', lp_id: 8 };
    expect(ownOrderView(lost, LP).est_profit_usd).toBeNull();
  });

  test('has null for missing values', () => {
    const bare = ownOrderView({ ...HELD, timeout_at: null, recipient_name: undefined }, LP);
    expect(bare).toMatchObject({ owned: true, timeout_at: null, recipient_name: null });
  });

  test.each([
    ['it belongs to another LP', { lp_id: 8 }],
    ['it is offered to others again', { status: 'matched' as const }],
    ['it belongs to no LP', { lp_id: null }],
  ])('hides all of that once %s', (_, changes) => {
    const view = ownOrderView({ ...HELD, ...changes }, LP);
    expect(view.owned).toBe(false);
    expect(MEANS.map((field) => view[field])).toEqual(MEANS.map(() => null));
  });
});

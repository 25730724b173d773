import { expect, test } from '@jest/globals';
import { unclaimableText } from '../../src/operations/diagnosis/unclaimable.ts';
import type { NearestClaimant } from '../../src/orders/nearest-claimant.ts';

const order = {
  amount_fiat: '99999999999.00',
  currency: 'KES',
  corridor_method: 'mobile_money',
  crypto_symbol: 'usdt',
  crypto_chain: 'trx',
} as const;
const lp: NearestClaimant = {
  lp_id: 4,
  missing: 'nothing',
  status: 'approved',
  min_fiat: '0',
  max_fiat: null,
  float_available: '5000',
  available: '500',
  locks: '772200772.19',
  cooling_until: null,
};

test('an order that an LP could claim has no reason', () => {
  expect(unclaimableText(order, lp)).toBeNull();
});

test('an order without any LP in its corridor says so', () => {
  expect(unclaimableText(order, undefined)).toBe(
    'no LP can claim it now: none has terms for KES by mobile_money',
  );
  expect(unclaimableText({ ...order, corridor_method: '*' }, undefined)).toMatch(/ none has terms for KES$/);
});

test.each<[NearestClaimant['missing'], Partial<NearestClaimant>, string]>([
  ['approval', { status: 'suspended' }, 'is suspended'],
  ['another_claim', {}, 'has released or failed it'],
  ['quoting', {}, 'has stopped quoting KES by mobile_money'],
  ['band', { min_fiat: '10', max_fiat: '2000.5' }, 'takes 10 to 2000.5 KES, not 99999999999'],
  ['band', { min_fiat: '100000000000' }, 'takes 100000000000 KES or more, not 99999999999'],
  ['address', {}, 'has no address for usdt on trx'],
  ['float', {}, 'has a float of 5000 KES for an order of 99999999999'],
  ['collateral', {}, 'has 500 USD of free collateral for an order that locks 772200772.19 USD'],
  [
    'cool_down',
    { cooling_until: '2026-03-01 12:00:00+00' },
    'cools down after a strike until 2026-03-01T12:00:00.000Z',
  ],
])('the nearest LP is named with what it is missing: %s', (missing, changes, text) => {
  const found = unclaimableText(order, { ...lp, missing, ...changes });
  expect(found).toBe(`no LP can claim it now: LP 4 is the nearest, and ${text}`);
});

test('LPs with an expired rate can still claim by hand', () => {
  expect(unclaimableText(order, { ...lp, missing: 'rate' })).toBe(
    'every LP that can claim it has let its rate expire: LP 4 can claim by hand, and Corridor claims for none',
  );
});

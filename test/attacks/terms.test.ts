import { afterAll, describe, expect, test } from '@jest/globals';
import type { Command } from '../../src/domain/order-commands.ts';
import { publishTerms, type TermsChange } from '../../src/market/lps/publish-terms.ts';
import { bestOffer } from '../../src/market/pricing/best-offer.ts';
import { cents, claimBy, KES, openFloatBooks } from '../support/float-books.ts';

let lp: number;
/**
 * Claims and quotes follow an LP's present terms. A command that waits in Temporal may be hours old or forged, and a float
 * that two orders use ends in a dispute. The order is for 1,295 KES by mobile money.
 */
const books = await openFloatBooks();
afterAll(() => books.db.close());

const AMOUNT = '1295';
const DAY_MS = 86_400_000;
const BANK = { currency: 'KES', method: 'bank_transfer' };
const query = async (sql: string, values: unknown[] = []) => (await books.db.pool.query(sql, values)).rows;
const expire = (method = KES.method) =>
  query(`update lp_term set valid_until = 'yesterday' where lp_id = $1 and method = $2`, [lp, method]);
const publish = (change: TermsChange) => books.publish(lp, change);
const publishForBank = () =>
  publishTerms(books.db, { ...BANK, lpId: lp }, { rate: { rate_usd: '129.5', validForMs: DAY_MS } });

/** Changes after which an LP can neither be quoted for the order nor claim it. */
const REFUSED: [string, () => Promise<unknown>, string][] = [
  [
    'has terms for another method only',
    () => query(`update lp_term set method = 'till' where lp_id = $1`, [lp]),
    'corridor_not_served',
  ],
  ['takes larger orders only', () => publish({ min: '1295.01' }), 'outside_terms'],
  ['takes smaller orders only', () => publish({ max: '1294.99' }), 'outside_terms'],
  ['has a float for less', () => publish({ float: '1294.99' }), 'outside_terms'],
];
/** Changes after which an LP is not quoted, although it may still claim the order itself. */
const UNQUOTED: [string, () => Promise<unknown>][] = [
  ['has let its rate expire', () => expire()],
  ['has stopped quoting', () => publish({ quoting: false })],
];

/** A new LP with float for one order, and an open order. No other LP is quoted. */
const begin = async () => {
  if (lp) await query('update lp_term set quoting = false where lp_id = $1', [lp]);
  lp = await books.newFloatLp('1295');
  return books.open(lp, AMOUNT);
};
const autoClaimBy = (lpId: number): Command => ({ trigger: 'autoClaim', lpId, validUntil: 'infinity' });
const quoted = () =>
  bestOffer(
    books.db,
    { currency: 'KES', method: KES.method, amount: AMOUNT, symbol: 'usdt', chain: 'trx' },
    { strikeCoolDown: 0, rateOutlierBps: 500 },
  );

describe.each(REFUSED)('an LP that %s', (_, change, refusal) => {
  test.each([
    ['by hand', claimBy],
    ['automatically', autoClaimBy],
  ])('claims nothing %s, and locks nothing', async (_how, command) => {
    const orderId = await begin();
    await change();
    expect((await books.attempt(orderId, command(lp))).result).toBe(refusal);
    expect(await query('select locked from lp_collateral where lp_id = $1', [lp])).toEqual([
      { locked: '0.000000' },
    ]);
    expect(await books.state(orderId)).toMatchObject({ status: 'matched' });
  });

  test('is not quoted', async () => {
    await begin();
    expect(await quoted()).toMatchObject({ lp_id: lp });
    await change();
    expect(await quoted()).toBeUndefined();
  });
});

describe.each(UNQUOTED)('an LP that %s', (_, change) => {
  test('is not quoted, and Corridor claims nothing for it', async () => {
    const orderId = await begin();
    await change();
    expect(await quoted()).toBeUndefined();
    expect((await books.attempt(orderId, autoClaimBy(lp))).result).toBe('order_not_claimable');
    expect((await books.attempt(orderId, claimBy(lp))).result).toBe('applied');
  });

  test('gets no automatic claim under its terms for another method', async () => {
    const orderId = await begin();
    await publishForBank();
    await change();
    expect(await quoted()).toBeUndefined();
    expect((await books.attempt(orderId, autoClaimBy(lp))).result).toBe('order_not_claimable');
  });
});

describe('the float of an LP', () => {
  const full = cents(AMOUNT);
  const fiatSentBy = async (orderId: number) => {
    expect((await books.attempt(orderId, claimBy(lp))).result).toBe('applied');
    await books.apply(orderId, { trigger: 'fiatSent', lpId: lp });
  };

  test('is for one order: a second one is refused while the first is open', async () => {
    const first = await begin();
    await fiatSentBy(first);
    expect(await books.floatOf(lp)).toEqual({ available: 0, reserved: full });
    expect(await quoted()).toBeUndefined();
    const second = await books.open(lp, AMOUNT);
    expect((await books.attempt(second, claimBy(lp))).result).toBe('outside_terms');
  });

  test('comes back with a released order, once', async () => {
    const orderId = await begin();
    await books.attempt(orderId, claimBy(lp));
    const released = await books.attempt(orderId, {
      trigger: 'release',
      lpId: lp,
      freeSince: '2020-01-01T00:00:00Z',
    });
    expect(await books.repeat(released)).toBe('applied');
    expect(await books.floatOf(lp)).toEqual({ available: full, reserved: 0 });
    expect(await books.reservedFor(lp)).toBe(0);
  });

  test('does not come back with a completed order: the LP has sent it', async () => {
    const orderId = await begin();
    await fiatSentBy(orderId);
    await books.apply(orderId, { trigger: 'dispute', by: 'agent' });
    await books.apply(orderId, { trigger: 'resolve', outcome: 'completed', slashUsd: '0', txHash: null });
    expect(await books.floatOf(lp)).toEqual({ available: 0, reserved: 0 });
    expect(await quoted()).toBeUndefined();
  });

  test('that an LP read before a claim cannot be changed after it', async () => {
    const orderId = await begin();
    await books.attempt(orderId, claimBy(lp));
    const topUp = publish({ expected_float: AMOUNT, float: '2590' });
    await expect(topUp).rejects.toMatchObject({ code: 'float_changed' });
    expect(await books.floatOf(lp)).toEqual({ available: 0, reserved: full });
  });
});

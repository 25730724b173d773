import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Order as OrderRow } from '../../src/db/entities/order.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { FEED_START, isAfter } from '../../src/domain/feed-cursor.ts';
import { findAvailable } from '../../src/market/corridors/find-available.ts';
import type { Corridors } from '../../src/market/corridors/load.ts';
import { autoClaimsOfOrder, ordersForAutoClaim } from '../../src/market/lps/auto-claims.ts';
import { lpMarket } from '../../src/market/lps/market.ts';
import { openOrdersFor } from '../../src/market/lps/orders.ts';
import { bestOffer } from '../../src/market/pricing/best-offer.ts';
import { changesFor } from '../../src/notify/feed/messages.ts';
import { readOpenOffers } from '../../src/notify/feed/open-offers.ts';
import { feedEnd, readEvent } from '../../src/notify/feed/reader.ts';
import { claimTerms } from '../../src/orders/claim-terms.ts';
import { nearestClaimant } from '../../src/orders/nearest-claimant.ts';
import { openBooks } from '../support/books.ts';
import { eventually } from '../support/eventually.ts';
import {
  anyLpChoice,
  anyOrder,
  anyReference,
  COOL_DOWN,
  createMarket,
  newCurrency,
  type OrderChoice,
  type PlacedLp,
  type ReferenceChoice,
  usable,
} from '../support/serving-market.ts';
import {
  type AnyLp,
  type AnyOrder,
  claimResult,
  isAvailable,
  isOffered,
  mayAutoClaim,
  mayQuote,
  mayTakeOver,
  rateNow,
} from '../support/serving-rules.ts';

/** No rate of a test is an outlier among the others. */
const ANY_RATE = 10_000;
/** With fewer LPs that can serve an order, a test could pass without a rule. On average there are some 60. */
const ENOUGH = 20;

/**
 * Random LPs with any terms, and a random order: every query and step that chooses or refuses an LP agrees with an independent
 * implementation of the rules. No LP gets an order that it cannot serve, and no LP that can serve it is left out.
 */
const books = await openBooks();
const market = createMarket(books);
const draft = await books.draft(await books.newLp(), '1295');
await books.create(draft);
/** For the strikes. */
const anOrder = draft.id;
afterAll(() => books.db.close());

type Order = AnyOrder & { id: number };
interface RandomMarket {
  currency: string;
  lps: PlacedLp[];
  order: Order;
  reference: ReferenceChoice;
  /** Creates another open order with the same values. */
  another: (changes?: Partial<OrderChoice>) => Promise<Order>;
}

/** Inserts the LPs and the order. The quoted LP of the order does not matter. */
async function place(lps: AnyLp[], choice: OrderChoice, reference: ReferenceChoice): Promise<RandomMarket> {
  const currency = newCurrency();
  await market.placeReference(currency, reference);
  const placed: PlacedLp[] = [];
  for (const lp of lps) placed.push(await market.placeLp(currency, lp, anOrder));
  const quoted = placed[0]?.id ?? 0;
  const another: RandomMarket['another'] = (changes = {}) =>
    market.placeOrder(currency, { ...choice, ...changes }, placed, quoted);
  return { currency, lps: placed, order: await another(), reference, another };
}

const forAnyMarket = (numRuns: number, check: (random: RandomMarket) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(anyLpChoice, { minLength: 1, maxLength: 4, size: 'max' }),
      anyOrder,
      anyReference,
      async (choices, order, reference) => {
        const lps = choices.map((choose) => choose(order));
        return check(await place(lps, order, reference));
      },
    ),
    { numRuns },
  );
const idsOf = (lps: PlacedLp[]) => lps.map(({ id }) => id).sort((a, b) => a - b);

test('an order is quoted from each LP that can serve it, and from no other', async () => {
  let found = 0;
  await forAnyMarket(80, async ({ currency, lps, order, reference }) => {
    const [symbol = '', chain = ''] = order.token.split(' ');
    const request = { currency, method: order.method, amount: String(order.amount), symbol, chain };
    const settings = { strikeCoolDown: COOL_DOWN, rateOutlierBps: ANY_RATE };
    const quoted: number[] = [];
    for (;;) {
      const offer = await bestOffer(books.db, request, settings);
      if (!offer) break;
      quoted.push(offer.lp_id);
      await books.db.pool.query('update lp_term set quoting = false where lp_id = $1', [offer.lp_id]);
    }
    const able = lps.filter((lp) => mayQuote(lp, order, usable(reference)));
    expect(quoted.sort((a, b) => a - b)).toEqual(idsOf(able));
    found += able.length;
  });
  expect(found).toBeGreaterThan(ENOUGH);
});

test('an open order is offered to each LP whose terms take it, and to no other', async () => {
  await forAnyMarket(60, async ({ lps, order }) => {
    const { db } = books;
    const { version } = await books.state(order.id);
    const event = await readEvent(db, order.id, version);
    if (!event) throw new Error('The order has no event');
    // Transactions of other tests delay the feed.
    await eventually(async () => isAfter(await feedEnd(db), event));
    for (const lp of lps) {
      const isListed = isOffered(lp, order);
      const open = await openOrdersFor(db, lp.id, 100);
      expect(open.map(({ id }) => id)).toEqual(isListed ? [order.id] : []);
      const of = await lpMarket(db, lp.id);
      const filter = { lpId: lp.id, currencies: [], assets: of.assets };
      const { offers } = await readOpenOffers(db, filter, { since: new Date(0) }, 1_000);
      expect(offers.map(({ id }) => id)).toEqual(isListed ? [order.id] : []);
      // The callers of the first two check that the LP is approved. The feed checks it itself.
      const changes = changesFor(event, { market: of, currencies: [] }, FEED_START);
      const opened = changes.filter(({ type }) => type === 'order.open');
      expect(opened).toHaveLength(isListed && lp.status === 'approved' ? 1 : 0);
    }
  });
});

test('the LP that comes nearest to claiming an open order is one that can, if there is one', async () => {
  await forAnyMarket(80, async ({ lps, order, reference }) => {
    const nearest = await nearestClaimant(books.db, order.id, COOL_DOWN);
    const lp = lps.find(({ id }) => id === nearest?.lp_id);
    if (order.isFrozen) return;
    const can = (one: AnyLp) => isOffered(one, order) && claimResult(one, order) === 'applied';
    const isFresh = (one: AnyLp) => rateNow(one, order, usable(reference)) !== null;
    const wanted = lps.some((one) => can(one) && isFresh(one))
      ? 'nothing'
      : lps.some(can)
        ? 'rate'
        : undefined;
    const served = lps.some((one) => one.terms.some(({ method }) => method === order.method));
    if (wanted) expect(nearest?.missing).toBe(wanted);
    else expect(['nothing', 'rate']).not.toContain(nearest?.missing);
    expect(nearest !== undefined).toBe(served);
    if (nearest?.missing === 'cool_down' && lp) expect(claimResult(lp, order)).toBe('lp_cooling_down');
  });
});

test('an order is claimed automatically for each LP that it may be claimed for, and for no other', async () => {
  let found = 0;
  await forAnyMarket(60, async ({ currency, lps, order, reference, another }) => {
    const able = lps.filter((lp) => mayAutoClaim(lp, order, usable(reference)));
    const claims = await autoClaimsOfOrder(books.db, order.id, COOL_DOWN);
    expect(claims.map(({ lpId }) => lpId).sort((a, b) => a - b)).toEqual(idsOf(able));
    for (const lp of lps) {
      const { orderIds } = await ordersForAutoClaim(books.db, lp.id, COOL_DOWN);
      expect(orderIds).toEqual(able.includes(lp) ? [order.id] : []);
    }
    // The step decides again, whatever command arrived through Temporal.
    for (const lp of lps) {
      const { id } = await another();
      const command = { trigger: 'autoClaim', lpId: lp.id, validUntil: 'infinity' } as const;
      expect((await market.attempt(id, command)) === 'applied').toBe(able.includes(lp));
      await market.refill(currency, lp);
    }
    found += able.length;
  });
  expect(found).toBeGreaterThan(ENOUGH);
});

test('an LP can claim orders that its terms take, even with an expired rate, and otherwise gets the reason', async () => {
  await forAnyMarket(60, async ({ lps, another }) => {
    for (const lp of lps) {
      const order = await another();
      const result = claimResult(lp, order);
      // The state machine refuses the others from the order's row.
      if (result !== 'refused') expect(await handlersAnswer(order.id, lp)).toBe(result);
      const command = { trigger: 'claim', lpId: lp.id, validUntil: 'infinity' } as const;
      expect(await market.attempt(order.id, command)).toBe(result);
    }
  });
});

/** What the handler finds before it sends the claim. */
async function handlersAnswer(orderId: number, { id, tier }: PlacedLp): Promise<string> {
  const order = await books.db.em().findOneOrFail(OrderRow, { id: orderId });
  try {
    await claimTerms(books.db, order, { id, tier }, COOL_DOWN);
    return 'applied';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

/** An LP that can claim any order itself, and gets no automatic claims. */
const owner = (method: string): AnyLp => ({
  ...{ status: 'approved', tier: 0, available: 1e6, tokens: ['usdt trx', 'usdc base'] },
  ...{ isCooling: false, auto: null },
  terms: [
    {
      ...{ method, rate: 100, offsetBps: 0, hasExpired: false, min: 0, max: null, float: null },
      quoting: false,
    },
  ],
});

test('after a failed claim, an order is offered again if another LP would be offered it, and otherwise it ends', async () => {
  await forAnyMarket(60, async ({ currency, lps, another }) => {
    const order = await another({ isFrozen: false });
    const { id } = await market.placeLp(currency, owner(order.method), anOrder);
    const command = { trigger: 'claim', lpId: id, validUntil: 'infinity' } as const;
    expect(await market.attempt(order.id, command)).toBe('applied');
    await books.db.pool.query(
      `update orders set expires_at = date_trunc('milliseconds', now()), timeout_at = now() - interval '1 ms' where id = $1`,
      [order.id],
    );
    const { version } = await books.state(order.id);
    const result = await market.attempt(order.id, { trigger: 'deadline', version });
    const isWanted = lps.some((lp) => mayTakeOver(lp, order));
    expect(result).toBe(isWanted ? 'applied' : 'not_reofferable');
  });
});

test('a corridor is available if an LP could be quoted for one of its orders', async () => {
  await forAnyMarket(60, async ({ currency, lps, reference }) => {
    const limits = { mobile_money: { min: 10, max: 900 }, bank_transfer: { min: 1_000, max: 50_000 } };
    const corridors = new Map([[currency, { methods: limits }]]) as unknown as Corridors;
    const available = await findAvailable(books.db, corridors, COOL_DOWN);
    for (const [method, { min, max }] of Object.entries(limits)) {
      const expected = lps.some((lp) => isAvailable(lp, { method, min, max }, usable(reference)));
      expect([method, available.has(`${currency} ${method}`)]).toEqual([method, expected]);
    }
  });
});

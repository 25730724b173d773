import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Command } from '../../src/domain/order-commands.ts';
import { decide } from '../../src/domain/order-decision.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import type { Books } from './books.ts';
import { insertLp } from './rows.ts';
import type { AnyLp, AnyOrder, AnyTerms, Reference } from './serving-rules.ts';

/** Random LPs and orders of one currency, and their rows. */

export const COOL_DOWN = 900_000;
export const METHODS = ['mobile_money', 'bank_transfer', '*'] as const;
const TOKENS = ['usdt trx', 'usdc base'];
/** Half of the amounts lie on a boundary of the terms below. */
export const AMOUNTS = [500, 999.99, 1_000, 1_000.01, 2_000, 5_000];

const terms: fc.Arbitrary<AnyTerms> = fc.record({
  method: fc.constantFrom(...METHODS),
  rate: fc.constantFrom(80, 100, 100, 125, null),
  offsetBps: fc.constantFrom(-1_000, 0, 137, 1_000),
  hasExpired: fc.constantFrom(false, false, false, true),
  min: fc.constantFrom(0, 0, 1_000),
  max: fc.constantFrom(null, null, 1_000, 2_000),
  float: fc.constantFrom(null, null, 0, 1_000, 2_500),
  quoting: fc.constantFrom(true, true, true, false),
});

const anyLp: fc.Arbitrary<AnyLp> = fc.record({
  status: fc.constantFrom('approved', 'approved', 'approved', 'approved', 'pending', 'suspended'),
  tier: fc.constantFrom(0, 0, 2, 4),
  available: fc.constantFrom(0, 4.99, 10, 500, 500, 500),
  tokens: fc.constantFrom(TOKENS, TOKENS, [TOKENS[0] ?? ''], [TOKENS[1] ?? ''], []),
  isCooling: fc.constantFrom(false, false, false, false, true),
  terms: fc.uniqueArray(terms, { selector: ({ method }) => method, minLength: 0, maxLength: 3 }),
  auto: fc.option(
    fc.record({
      isListed: fc.constantFrom(true, true, false),
      maxUsd: fc.constantFrom(null, null, 10, 20),
      minProfitUsd: fc.constantFrom(-1_000, -1_000, 0.5),
    }),
    { freq: 4 },
  ),
});

/** What can be wrong with an LP that would otherwise be able to serve an order. */
const FAULTS = ['status', 'tier', 'available', 'tokens', 'isCooling', 'terms', 'auto'] as const;
const TERMS_FAULTS = ['rate', 'hasExpired', 'min', 'max', 'float', 'quoting'] as const;

/** An LP that is chosen once its order is known. */
export type LpChoice = (order: OrderChoice) => AnyLp;

/**
 * Most LPs could serve the order but for one field, or for none: with random fields only, hardly one could, and a query that
 * forgets a rule would find the same LPs.
 */
export const anyLpChoice: fc.Arbitrary<LpChoice> = fc
  .record({
    random: anyLp,
    kind: fc.constantFrom('able', 'able', 'fault', 'fault', 'fault', 'terms fault', 'terms fault', 'random'),
    fault: fc.constantFrom(...FAULTS),
    termsFault: fc.constantFrom(...TERMS_FAULTS),
    faultyTerms: terms,
  })
  .map(({ random, kind, fault, termsFault, faultyTerms }) => (order) => {
    const able = ableLp(order);
    if (kind === 'random') return random;
    if (kind === 'fault') return { ...able, [fault]: random[fault] };
    if (kind === 'able') return able;
    const [fitting] = able.terms;
    return { ...able, terms: fitting ? [{ ...fitting, [termsFault]: faultyTerms[termsFault] }] : [] };
  });

const ableLp = ({ method, token }: OrderChoice): AnyLp => ({
  ...{ status: 'approved', tier: 0, available: 500, tokens: [token], isCooling: false },
  terms: [
    {
      ...{ method, rate: 100, offsetBps: 0, hasExpired: false },
      ...{ min: 0, max: null, float: null, quoting: true },
    },
  ],
  auto: { isListed: true, maxUsd: null, minProfitUsd: -1_000 },
});

export const anyOrder = fc.record({
  method: fc.constantFrom(...METHODS),
  amount: fc.constantFrom(...AMOUNTS),
  spreadBps: fc.constantFrom(0, 200),
  token: fc.constantFrom(...TOKENS),
  isFrozen: fc.constantFrom(...Array(9).fill(false), true),
  excluded: fc.constantFrom(null, null, null, 0),
});
export type OrderChoice = typeof anyOrder extends fc.Arbitrary<infer T> ? T : never;
/** `stale`: the price source's last price is too old. */
export const anyReference = fc.constantFrom<'none' | 'stale' | 100>('none', 'stale', 100, 100);
export type ReferenceChoice = 'none' | 'stale' | 100;
export const usable = (choice: ReferenceChoice): Reference => (choice === 100 ? 100 : null);

export type PlacedLp = AnyLp & { id: number };

let currencies = 0;
/** Returns a currency in which no LP of another run has terms. */
export function newCurrency(): string {
  const number = currencies++;
  return [676, 26, 1].map((unit) => String.fromCharCode(65 + (Math.floor(number / unit) % 26))).join('');
}

export function createMarket({ db, ...books }: Books) {
  const run = (sql: string, ...values: unknown[]) => db.pool.query(sql, values);

  async function placeReference(currency: string, choice: ReferenceChoice): Promise<void> {
    if (choice === 'none') return;
    await run(
      `insert into reference_price values ($1, 100, now(), now() + $2 * interval '1 hour')`,
      currency,
      choice === 'stale' ? -1 : 1,
    );
  }

  async function placeLp(currency: string, lp: AnyLp, anOrder: number): Promise<PlacedLp> {
    const id = await insertLp(db, lp);
    for (const token of lp.tokens)
      await run(
        `insert into lp_asset (lp_id, symbol, chain, address) values ($1, $2, $3, $4)`,
        ...[id, ...token.split(' '), `0x${id}${token}`],
      );
    for (const one of lp.terms)
      await run(
        `insert into lp_term (lp_id, currency, method, rate_usd, offset_bps, valid_until, min_fiat, max_fiat, float_available,
           quoting)
         values ($1, $2, $3, $4, $5, now() + $6 * interval '1 hour', $7, $8, $9, $10)`,
        ...[id, currency, one.method, one.rate, one.rate === null ? one.offsetBps : null],
        ...[one.hasExpired ? -1 : 1, one.min, one.max, one.float, one.quoting],
      );
    if (lp.auto) {
      const { isListed, maxUsd, minProfitUsd } = lp.auto;
      await run(
        `insert into lp_auto_claim (lp_id, enabled, currencies, max_amount_usd, min_profit_usd) values ($1, true, $2, $3, $4)`,
        ...[id, isListed ? [currency] : ['KES'], maxUsd, minProfitUsd],
      );
    }
    // One strike: five minutes ago, or so long ago that the cool-down has ended.
    await run(
      `insert into lp_strike (order_id, seq, lp_id, created_at) values ($1, $2, $3, now() - $4 * interval '1 minute')`,
      ...[anOrder, id, id, lp.isCooling ? 5 : 100],
    );
    return { ...lp, id };
  }

  /** Creates an open order, with the event that opens it. `quotedLp`: any LP. */
  async function placeOrder(
    currency: string,
    choice: OrderChoice,
    lps: PlacedLp[],
    quotedLp: number,
  ): Promise<AnyOrder & { id: number }> {
    const { method, amount, spreadBps, token, isFrozen } = choice;
    const excluded = lps.filter((_, i) => i === choice.excluded);
    const [crypto_symbol = '', crypto_chain = ''] = token.split(' ');
    const amountUsd = Math.ceil(amount * 10_000) / 1_000_000;
    const draft = await books.draft(quotedLp, String(amount));
    const own = { currency, method: method === '*' ? 'any text' : method, corridor_method: method };
    await books.create({
      ...{ ...draft, ...own, crypto_symbol, crypto_chain: crypto_chain as 'trx' },
      ...{ rate_usd: '100', spread_bps: spreadBps, amount_usd: String(amountUsd), fee_usd: '0' },
    });
    await run(
      'update orders set excluded_lp_ids = $2 where id = $1',
      draft.id,
      excluded.map(({ id }) => id),
    );
    if (isFrozen) await books.apply(draft.id, { trigger: 'freeze' });
    const excludes = (lp: AnyLp) => excluded.some((one) => one === lp);
    return { id: draft.id, ...{ method, amount, amountUsd, spreadBps, token, isFrozen, excludes } };
  }

  /** Carries out a command with the LPs' cool-down. Returns the step's result, or `refused`. */
  async function attempt(orderId: number, command: Command): Promise<string> {
    const state = await books.state(orderId);
    const decision = decide(state, command);
    if (decision.kind !== 'apply') return 'refused';
    const input = { orderId, state, command, requestId: randomUUID(), actor: 'service' };
    const settings = { ...NO_LIMITS, strikeCoolDown: COOL_DOWN };
    return (await performStep(db, decision.step, input, settings)).result;
  }

  /** Resets the LP's collateral and float to their values before its claims. */
  async function refill(currency: string, lp: PlacedLp): Promise<void> {
    await run('update lp_collateral set available = $2, locked = 0 where lp_id = $1', lp.id, lp.available);
    for (const { method, float } of lp.terms)
      await run(
        `update lp_term set float_available = $4, float_reserved = 0 where lp_id = $1 and currency = $2 and method = $3`,
        ...[lp.id, currency, method, float],
      );
  }

  return { placeReference, placeLp, placeOrder, attempt, refill };
}

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { expectStatus } from '../../dev/http-client.ts';
import { sandboxAddress } from '../../dev/registration.ts';
import { createHttpPriceSource } from '../../src/adapters/prices-http.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { type JsonReply, type JsonServer, startJsonServer } from '../support/json-server.ts';
import type { Agent } from '../support/parties.ts';

const log = pino({ level: 'silent' });
const MINUTE = 60_000;
const priceReply = (changes: object = {}, ageMs = 0): JsonReply => ({
  json: {
    as_of: new Date(Date.now() - ageMs).toISOString(),
    crypto_usd: { xrp: '0.5', ETH: '3000', dust: '0.000000000000000001' },
    per_usd: { KES: '129.5', ugx: '3700' },
    ...changes,
  },
});

/** A price source, and a Corridor that uses it. */
async function market(
  reply: () => JsonReply,
): Promise<{ source: JsonServer; corridor: TestCorridor; stop: () => Promise<void> }> {
  const source = await startJsonServer(reply);
  const corridor = await startCorridor({
    worker: false,
    env: { PRICE_SOURCE_URL: `${source.url}/prices?key=secret`, PRICE_MAX_AGE: '5m' },
  });
  const stop = async () => {
    await corridor.stop();
    await source.close();
  };
  return { source, corridor, stop };
}

const registration = (rates: Record<string, number>) => ({
  xrpl_address: 'rTestLiquidityProvider11111111',
  mpesa_phone: '+254711000001',
  supported_currencies: rates,
});

/** The suffix of an amount is worth less than a cent. */
const expectSuffix = (amount: number, price: number, usd: number) => {
  expect(amount).toBeGreaterThanOrEqual(price);
  expect((amount - price) * usd).toBeLessThan(0.01);
};

describe('with a price source', () => {
  let here: Awaited<ReturnType<typeof market>>;
  let corridor: TestCorridor;
  let agent: Agent;
  beforeAll(async () => {
    here = await market(() => priceReply());
    corridor = here.corridor;
    agent = await corridor.newAgent();
    const lp = await corridor.newLp({ rate: 129.5 });
    for (const [symbol, chain] of [
      ['xrp', 'xrpl'],
      ['ETH', 'eth'],
      ['dust', 'eth'],
      ['doge', 'eth'],
    ]) {
      const asset = { symbol, chain, address: sandboxAddress() };
      await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/assets`, asset));
    }
  });
  afterAll(() => here?.stop());

  test('a payment can be quoted in a token that is not pegged to the dollar', async () => {
    const { status, body } = await agent.pay({ crypto_symbol: 'xrp', crypto_chain: 'xrpl' });
    expect(status).toBe(201);
    // 1295 / 129.5 = 10 USD, and 5 cents of fee, at half a dollar each.
    expect(body.crypto_required).toMatchObject({ symbol: 'xrp', chain: 'xrpl' });
    expectSuffix(body.crypto_required.amount, 20.1, 0.5);
    const eth = await agent.pay({ crypto_symbol: 'ETH', crypto_chain: 'eth' });
    // 10.05 / 3000 = 0.00335
    expectSuffix(eth.body.crypto_required.amount, 0.00335, 3_000);
  });

  test('dollar tokens cost one dollar, even if the source says otherwise', async () => {
    const { body } = await agent.pay({});
    expectSuffix(body.crypto_required.amount, 10.05, 1);
  });

  test('a rate lock holds the price', async () => {
    const quote = { amount: 1_295, currency: 'KES', crypto_symbol: 'xrp', crypto_chain: 'xrpl' };
    const { body } = await agent.call('POST', '/api/v1/rates', quote);
    expectSuffix(body.crypto_amount, 20.1, 0.5);
    const paid = await agent.pay({ ...quote, rate_lock_id: body.rate_lock_id });
    expect(paid.body.crypto_required.amount).toBe(body.crypto_amount);
  });

  test('a token that the source does not know has no price', async () => {
    const answer = await agent.pay({ crypto_symbol: 'doge', crypto_chain: 'eth' });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^Could not calculate rate/) },
    });
  });

  test('a payment is refused if the token is worth so little that its amount could not be stored', async () => {
    const answer = await agent.pay({ crypto_symbol: 'dust', crypto_chain: 'eth' });
    expect(answer.status).toBe(400);
    expect(answer.body.error.fieldErrors.amount).toEqual(['must cost at most 999999999900000 dust']);
  });

  test.each([
    ['a tenth above it', 142.45, 200],
    ['a tenth below it', 116.55, 200],
    ['more than a tenth above it', 142.46, 400],
    ['more than a tenth below it', 116.54, 400],
    ['off by a decimal point', 1295, 400],
  ])('an LP’s rate that is %s is accepted or refused', async (_what, rate_usd, status) => {
    const lp = await corridor.newLp({ collateral: 0 });
    const answer = await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'KES', rate_usd });
    expect(answer.status).toBe(status);
    const known = await corridor.db.query<{ rate_usd: string }>(
      'rate',
      `select rate_usd::float from lp_rate where lp_id = $1 and currency = 'KES'`,
      [lp.id],
    );
    expect(known).toEqual([{ rate_usd: status === 200 ? rate_usd : 129.5 }]);
  });

  test('rates near the reference are quoted, however far they are from those of other LPs', async () => {
    await Promise.all([1, 2, 3].map(() => corridor.newLp({ currency: 'UGX', rate: 3_400 })));
    const better = await corridor.newLp({ currency: 'UGX', rate: 4_000 });
    const paid = await agent.pay({ currency: 'UGX', amount: 37_000 });
    expect(paid).toMatchObject({ status: 201, body: { lp: { id: better.id } } });
    const { body } = await better.call('GET', `/api/lp/${better.key}/dashboard`);
    expect(body.rates).toMatchObject([{ currency: 'UGX', not_quoted: null }]);
  });

  test('a registration with one implausible rate is refused as a whole, and the error names the currency', async () => {
    const refused = await corridor.anyone('POST', '/api/lp/register', registration({ KES: 130, UGX: 370 }));
    const error = 'The rate of 370 UGX per USD is more than 10 % off the reference of 3700';
    expect(refused).toMatchObject({ status: 400, body: { error } });
    const taken = await corridor.anyone('POST', '/api/lp/register', registration({ KES: 130, UGX: 3_650 }));
    expect(taken.status).toBe(201);
  });

  test('a rate in a currency that the source does not know is accepted', async () => {
    const taken = await corridor.anyone('POST', '/api/lp/register', registration({ TZS: 2_600 }));
    expect(taken.status).toBe(201);
  });

  test('Corridor requests its exact address, including the key', () => {
    expect(here.source.received[0]?.path).toBe('/prices?key=secret');
  });
});

test('concurrent readers share one request to the price source', async () => {
  const source = await startJsonServer(() => priceReply());
  try {
    const prices = createHttpPriceSource({ url: source.url, maxAgeMs: 5 * MINUTE, log });
    const answers = await Promise.all(Array.from({ length: 50 }, () => prices.cryptoUsd('xrp')));
    expect(new Set(answers)).toEqual(new Set(['0.5']));
    expect(source.received).toHaveLength(1);
  } finally {
    await source.close();
  }
});

test('after a pause, a reader waits for new prices instead of using those from before it', async () => {
  const source = await startJsonServer(() => priceReply());
  const { now } = performance;
  try {
    const prices = createHttpPriceSource({ url: source.url, maxAgeMs: 5 * MINUTE, log });
    expect(await prices.cryptoUsd('xrp')).toBe('0.5');
    source.answer(() => priceReply({ crypto_usd: { xrp: '0.25' } }));
    performance.now = () => now.call(performance) + MINUTE;
    const answers = await Promise.all([prices.cryptoUsd('xrp'), prices.cryptoUsd('xrp')]);
    expect(answers).toEqual(['0.25', '0.25']);
    // The old prices stay in use if the source is unavailable then.
    source.answer(() => ({ status: 503 }));
    performance.now = () => now.call(performance) + 2 * MINUTE;
    expect(await prices.cryptoUsd('xrp')).toBe('0.25');
  } finally {
    performance.now = now;
    await source.close();
  }
});

describe('a price source whose prices are too old', () => {
  test('provides no price for a token, and refuses no rate', async () => {
    const { corridor, stop } = await market(() => priceReply({}, 6 * MINUTE));
    try {
      const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
      const answer = await agent.pay({ crypto_symbol: 'xrp', crypto_chain: 'xrpl' });
      expect(answer).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^Could not calculate rate/) },
      });
      expect((await agent.pay()).status).toBe(201);
      const rate = { currency: 'KES', rate_usd: 13 };
      expect((await lp.call('POST', `/api/lp/${lp.key}/rates`, rate)).status).toBe(200);
    } finally {
      await stop();
    }
  });

  test('is used until then even while it is unavailable, and again when it is back', async () => {
    const source = await startJsonServer(() => priceReply());
    try {
      const prices = createHttpPriceSource({ url: source.url, maxAgeMs: 8_000, log });
      expect(await prices.cryptoUsd('XRP')).toBe('0.5');
      source.answer(() => ({ status: 503 }));
      expect(await prices.perUsd('kes')).toBe('129.5');
      await eventuallyEquals(() => prices.cryptoUsd('xrp'), undefined, 40_000);
      source.answer(() => priceReply({ crypto_usd: { xrp: '0.6' } }));
      await eventuallyEquals(() => prices.cryptoUsd('xrp'), '0.6');
    } finally {
      await source.close();
    }
  });
});

describe('a malformed answer', () => {
  test.each<[string, () => JsonReply]>([
    ['an error', () => ({ status: 500 })],
    ['no JSON', () => ({ text: 'prices' })],
    ['no time', () => priceReply({ as_of: undefined })],
    ['an invalid time', () => priceReply({ as_of: 'now' })],
    ['a future time, which would never be too old', () => priceReply({}, -10 * MINUTE)],
    ['a price of zero', () => priceReply({ crypto_usd: { xrp: '0' } })],
    ['a price below zero', () => priceReply({ crypto_usd: { xrp: '-1' } })],
    ['a price as a number, whose digits are uncertain', () => priceReply({ crypto_usd: { xrp: 0.5 } })],
    ['a price with an exponent', () => priceReply({ crypto_usd: { xrp: '5e-1' } })],
    ['a body above the size limit', () => ({ text: JSON.stringify({ x: 'x'.repeat(2_000_000) }) })],
    ['no response', () => 'hang'],
  ])('with %s provides no prices', async (_what, reply) => {
    const source = await startJsonServer(reply);
    try {
      const prices = createHttpPriceSource({ url: source.url, maxAgeMs: 5 * MINUTE, log });
      // At the same time, so that both share one question.
      const answers = await Promise.all([prices.cryptoUsd('xrp'), prices.perUsd('KES')]);
      expect(answers).toEqual([undefined, undefined]);
      expect(source.received).toHaveLength(1);
    } finally {
      await source.close();
    }
  });

  test('is logged without the source’s address', async () => {
    const lines: string[] = [];
    const testLog = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const prices = createHttpPriceSource({
      url: 'http://127.0.0.1:1/?key=secret',
      maxAgeMs: MINUTE,
      log: testLog,
    });
    expect(await prices.cryptoUsd('xrp')).toBeUndefined();
    expect(lines.join()).toContain('no connection');
    expect(lines.join()).not.toContain('secret');
  });
});

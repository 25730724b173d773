import { afterAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { expectStatus } from '../../dev/http-client.ts';
import { createHttpPriceSource } from '../../src/adapters/prices-http.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { type JsonReply, startJsonServer } from '../support/json-server.ts';
import type { TestLp } from '../support/parties.ts';

const priceReply = (per_usd: Record<string, string>): JsonReply => ({
  json: { as_of: new Date().toISOString(), per_usd },
});
const PRICES = { KES: '129.5', UGX: '3700', TZS: '2500', GHS: '12' };
/** Rates that are an offset from the price of a source. Its prices are usable for some seconds. */
const source = await startJsonServer(() => priceReply(PRICES));
const corridor = await startCorridor({ env: { PRICE_SOURCE_URL: source.url, PRICE_MAX_AGE: '15s' } });
const agent = await corridor.newAgent();
afterAll(async () => {
  await corridor?.stop();
  await source?.close();
});

const publish = (lp: TestLp, terms: object) => lp.call('POST', `/api/lp/${lp.key}/terms`, terms);
const published = async (lp: TestLp, terms: object) => (await expectStatus(200, publish(lp, terms))).terms[0];
const read = async (lp: TestLp) =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/terms`))).terms[0];

test.each([
  ['above', 50, 130.1475],
  ['below', -1_000, 116.55],
  ['at', 0, 129.5],
])('a rate %s the price is quoted', async (_where, offset_bps, rate_usd) => {
  const lp = await corridor.newLp();
  const terms = await published(lp, { currency: 'KES', offset_bps });
  expect(terms).toMatchObject({ currency: 'KES', offset_bps, rate_usd, not_quoted: null });
  const { body } = await agent.pay({ amount: 1_000 });
  expect(body.lp).toEqual({ id: lp.id, rate: rate_usd });
  await published(lp, { currency: 'KES', quoting: false });
});

test('a fixed rate replaces the offset, and an offset the fixed rate', async () => {
  const lp = await corridor.newLp({ currency: 'UGX', rate: 3_650 });
  const offset = await published(lp, { currency: 'UGX', offset_bps: 100 });
  expect(offset).toMatchObject({ offset_bps: 100, rate_usd: 3_737 });
  const fixed = await published(lp, { currency: 'UGX', rate_usd: 3_600 });
  expect(fixed).toMatchObject({ offset_bps: null, rate_usd: 3_600 });
  expect(
    (await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'UGX', rate_usd: 3_610 })).status,
  ).toBe(200);
  expect(await read(lp)).toMatchObject({ offset_bps: null, rate_usd: 3_610 });
});

test('a currency that the source does not know takes no offset', async () => {
  const lp = await corridor.newLp();
  const answer = await publish(lp, { currency: 'NGN', offset_bps: 10 });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: { fieldErrors: { offset_bps: [expect.stringMatching(/^needs a price of NGN/)] } } },
  });
  expect((await publish(lp, { currency: 'NGN', rate_usd: 1_500 })).status).toBe(200);
});

test('the rate follows the price', async () => {
  const lp = await corridor.newLp({ currency: 'UGX', rate: 3_650 });
  expect(await published(lp, { currency: 'UGX', offset_bps: 100 })).toMatchObject({ rate_usd: 3_737 });
  source.answer(() => priceReply({ ...PRICES, UGX: '4000.5' }));
  await eventuallyEquals(async () => (await read(lp)).rate_usd, 4_040.505);
  const { body } = await agent.pay({ amount: 40_000, currency: 'UGX' });
  expect(body.lp).toEqual({ id: lp.id, rate: 4_040.505 });
});

test('without usable prices such a rate is not quoted, and open orders are claimed automatically when they are back', async () => {
  const [fixed, follower] = await Promise.all([
    corridor.newLp({ currency: 'TZS', rate: 2_300 }),
    corridor.newLp({ currency: 'TZS', rate: 2_500 }),
  ]);
  await published(follower, { currency: 'TZS', offset_bps: 0 });
  await expectStatus(
    200,
    follower.call('POST', `/api/lp/${follower.key}/auto-claim`, { enabled: true, min_profit_usd: -100 }),
  );
  source.answer(() => ({ status: 503 }));
  await eventuallyEquals(async () => (await read(follower)).rate_usd, null);
  expect((await read(follower)).not_quoted).toMatch(/^The price source has no price of TZS now/);
  const paid = await expectStatus(201, agent.pay({ amount: 25_000, currency: 'TZS' }));
  expect(paid.lp.id).toBe(fixed.id);

  source.answer(() => priceReply(PRICES));
  await eventuallyEquals(() => agent.statusOf(paid.order_id), 'claimed');
  const owner = 'select lp_id from orders where id = $1';
  expect((await corridor.db.pool.query(owner, [paid.order_id])).rows).toEqual([{ lp_id: follower.id }]);
});

test('the worker keeps the prices usable without requests', async () => {
  const lp = await corridor.newLp({ currency: 'GHS', rate: 12 });
  await published(lp, { currency: 'GHS', offset_bps: 0 });
  // Reads the database only: no request makes the API ask the source.
  const usableUntil = async () => {
    const sql = `select usable_until from reference_price where currency = 'GHS'`;
    return Date.parse((await corridor.db.pool.query(sql)).rows[0].usable_until);
  };
  const before = await usableUntil();
  await eventually(async () => (await usableUntil()) > before + 10_000);
});

test('the lists of corridors and of LPs bring the prices themselves', async () => {
  const env = { PRICE_SOURCE_URL: source.url };
  const quiet = await startCorridor({ worker: false, env });
  try {
    const lp = await quiet.newLp({ currency: 'GHS', rate: 12 });
    await published(lp, { currency: 'GHS', offset_bps: 0 });
    await quiet.db.pool.query('delete from reference_price');
    await eventually(async () => {
      const { lps } = await expectStatus(200, quiet.anyone('GET', '/api/lps'));
      return lps[0].rates.length === 1;
    });
    await quiet.db.pool.query('delete from reference_price');
    await eventually(async () => {
      const { corridors } = await expectStatus(200, quiet.anyone('GET', '/api/v1/corridors'));
      const ghs = corridors.find(({ currency }: { currency: string }) => currency === 'GHS');
      return ghs.methods.some(({ available }: { available: boolean }) => available);
    });
  } finally {
    await quiet.stop();
  }
});

test('prices that cannot be stored break nothing but offsets, and the log says so', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const store = () => Promise.reject(new Error('no room'));
  const prices = createHttpPriceSource({ url: source.url, maxAgeMs: 60_000, store, log });
  expect(await prices.perUsd('KES')).toBe('129.5');
  expect(lines.join()).toContain('the prices could not be stored');
  expect(lines.join()).toContain('no room');

  await corridor.newLp({ currency: 'KES', rate: 129 });
  await corridor.db.pool.query('alter table reference_price add constraint no_room check (false) not valid');
  try {
    const asked = source.received.length;
    await eventually(async () => {
      expect(await agent.newOrder()).toBeGreaterThan(0);
      return source.received.length > asked + 1;
    });
  } finally {
    await corridor.db.pool.query('alter table reference_price drop constraint no_room');
  }
});

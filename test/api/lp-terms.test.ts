import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({
  worker: false,
  env: { RATE_VALID_FOR: '1h' },
});
const agent = await corridor.newAgent();

const publish = (lp: TestLp, terms: object) => lp.call('POST', `/api/lp/${lp.key}/terms`, terms);
const published = async (lp: TestLp, terms: object) => (await expectStatus(200, publish(lp, terms))).terms;
const read = async (lp: TestLp) => (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/terms`))).terms;
/** Seconds from now until a time. */
const secondsUntil = (time: string) => (Date.parse(time) - Date.now()) / 1_000;

/** The terms of an LP that set all fields. */
const FULL = {
  ...{ currency: 'KES', method: 'bank_transfer', rate_usd: 130.25, min: 1_000, max: 50_000.5 },
  ...{ float: 250_000.75, float_low: 20_000, quoting: true },
};

describe('publishing terms', () => {
  test('returns the present terms of the corridor', async () => {
    const lp = await corridor.newLp();
    const terms = await published(lp, { ...FULL, valid_for: 7_200 });
    expect(terms).toEqual([
      {
        ...FULL,
        ...{ offset_bps: null, float_reserved: 0, not_quoted: null },
        ...{ valid_until: expect.any(String), updated_at: expect.any(String) },
      },
    ]);
    expect(secondsUntil(terms[0].valid_until)).toBeGreaterThan(7_000);
    expect(secondsUntil(terms[0].valid_until)).toBeLessThanOrEqual(7_200);
    const dashboard = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
    const [{ method }] = dashboard.rates;
    expect(method).toBe('bank_transfer');
    expect(await read(lp)).toEqual(dashboard.rates);
  });

  test('without a method is for the default method of the currency, and is valid for RATE_VALID_FOR', async () => {
    const lp = await corridor.newLp({ currency: 'EUR', rate: 0.9 });
    const [terms] = await published(lp, { currency: 'kes', rate_usd: 130 });
    expect(terms).toMatchObject({
      ...{ currency: 'KES', method: 'mobile_money', rate_usd: 130, offset_bps: null, quoting: true },
      ...{ min: 0, max: null, float: null, float_reserved: 0, float_low: null },
    });
    expect(secondsUntil(terms.valid_until)).toBeGreaterThan(3_400);
    expect(secondsUntil(terms.valid_until)).toBeLessThanOrEqual(3_600);
    expect((await read(lp)).map((one: { currency: string }) => one.currency)).toEqual(['EUR', 'KES']);
  });

  test('in a currency without a corridor is for every method', async () => {
    const lp = await corridor.newLp();
    const [terms] = await published(lp, { currency: 'XTS', rate_usd: 2 });
    expect(terms).toMatchObject({ currency: 'XTS', method: '*' });
    await published(lp, { currency: 'XTS', method: '*', rate_usd: 3 });
    expect(await read(lp)).toMatchObject([{ currency: 'KES' }, { currency: 'XTS', rate_usd: 3 }]);
  });

  test.each<[string, object]>([
    ['rate_usd', { rate_usd: 131.5 }],
    ['min', { min: 500 }],
    ['max', { max: 60_000 }],
    ['float', { float: 10 }],
    ['float_low', { float_low: 10 }],
    ['quoting', { quoting: false, method: 'bank_transfer' }],
  ])('a change of only %s keeps the rest', async (_field, change) => {
    const lp = await corridor.newLp();
    const [before] = await published(lp, FULL);
    const [after] = await published(lp, { currency: 'KES', method: 'bank_transfer', ...change });
    const { valid_until: _, updated_at: __, ...kept } = before;
    expect(after).toMatchObject({ ...kept, ...change, not_quoted: after.not_quoted });
    if (!('rate_usd' in change)) expect(after.valid_until).toBe(before.valid_until);
  });

  test('null clears a bound, the float and its warning', async () => {
    const lp = await corridor.newLp();
    await published(lp, FULL);
    const nulls = { min: null, max: null, float: null, float_low: null };
    const [cleared] = await published(lp, { currency: 'KES', method: 'bank_transfer', ...nulls });
    expect(cleared).toMatchObject({ ...nulls, min: 0, rate_usd: FULL.rate_usd });
  });

  test('a rate by the older route is one of the default method, and changes nothing else', async () => {
    const lp = await corridor.newLp();
    await published(lp, { currency: 'KES', min: 100, float: 5_000 });
    const rate = { currency: 'KES', rate_usd: 128 };
    expect(await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/rates`, rate))).toEqual({
      ...{ ok: true, not_quoted: null },
    });
    expect(await read(lp)).toMatchObject([
      { ...rate, method: 'mobile_money', min: 100, max: null, float: 5_000 },
    ]);
  });
});

describe('valid terms', () => {
  test('are quoted in their corridor only, for amounts that they take', async () => {
    const lp = await corridor.newLp({ currency: 'TZS', rate: 2_500 });
    const quote = async (amount: number, more: object = {}) =>
      (await agent.call('POST', '/api/v1/rates', { amount, currency: 'TZS', ...more })).status;
    const byBank = { method: 'bank_transfer', institution: await aBankOf('TZS') };
    expect([await quote(25_000), await quote(25_000, byBank)]).toEqual([201, 404]);
    await published(lp, { currency: 'TZS', min: 20_000, max: 30_000, float: 28_000 });
    expect([await quote(19_999), await quote(20_000)]).toEqual([404, 201]);
    expect([await quote(28_000), await quote(28_001)]).toEqual([201, 404]);
    await published(lp, { currency: 'TZS', float: null });
    expect([await quote(30_000), await quote(30_001)]).toEqual([201, 404]);
  });

  test('the LP stops quoting one method', async () => {
    const lp = await corridor.newLp({ currency: 'GHS', rate: 12 });
    const other = { currency: 'GHS', method: 'bank_transfer' };
    await published(lp, { ...other, rate_usd: 12 });
    const [stopped] = await published(lp, { ...other, quoting: false });
    expect(stopped).toMatchObject({ ...other, quoting: false, not_quoted: 'You have stopped quoting here.' });
    const institution = await aBankOf('GHS');
    const refused = await agent.call('POST', '/api/v1/rates', { amount: 120, institution, ...other });
    expect(refused.status).toBe(404);
    expect((await agent.pay({ amount: 120, currency: 'GHS' })).status).toBe(201);
  });

  test('the LP stops quoting all methods of a currency, and starts again', async () => {
    const lp = await corridor.newLp({ currency: 'NGN', rate: 1_500 });
    await published(lp, { currency: 'NGN', method: 'bank_transfer', rate_usd: 1_500 });
    await published(lp, { currency: 'KES', rate_usd: 129.5 });
    const stopped = await published(lp, { currency: 'NGN', quoting: false });
    expect(stopped).toMatchObject([
      { currency: 'NGN', method: 'bank_transfer', quoting: false },
      { currency: 'NGN', method: 'mobile_money', quoting: false },
    ]);
    expect((await agent.pay({ amount: 15_000, currency: 'NGN' })).status).toBe(404);
    const all: { currency: string; quoting: boolean }[] = await read(lp);
    expect(all.filter(({ quoting }) => quoting).map(({ currency }) => currency)).toEqual(['KES']);
    const resumed = await published(lp, { currency: 'NGN', quoting: true });
    expect(resumed).toMatchObject([{ quoting: true }, { quoting: true }]);
    expect((await agent.pay({ amount: 15_000, currency: 'NGN' })).status).toBe(201);
  });
});

describe('a change is refused, and changes nothing', () => {
  test.each<[string, object, string, string | RegExp]>([
    ['no currency', { currency: undefined, rate_usd: 1 }, 'currency', 'is required'],
    [
      'an unknown method',
      { method: 'carrier_pigeon', rate_usd: 1 },
      'method',
      /^must be one of mobile_money,/,
    ],
    ['every method of a currency with a corridor', { method: '*', rate_usd: 1 }, 'method', /^must be one of/],
    [
      'a method of a currency without one',
      { currency: 'XTS', method: 'till', min: 1 },
      'method',
      /^must be left out/,
    ],
    ['a rate of zero', { rate_usd: 0 }, 'rate_usd', 'must be more than 0'],
    ['a rate below zero', { rate_usd: -129.5 }, 'rate_usd', 'must be more than 0'],
    ['a rate as text', { rate_usd: '129.5' }, 'rate_usd', 'must be a number'],
    ['a rate and an offset', { rate_usd: 129.5, offset_bps: 1 }, 'offset_bps', /^must be left out/],
    ['half a basis point', { offset_bps: 0.5 }, 'offset_bps', 'must be a whole number'],
    ['an offset above a tenth', { offset_bps: 1_001 }, 'offset_bps', 'must be at most 1000'],
    ['an offset below a tenth', { offset_bps: -1_001 }, 'offset_bps', 'must be at least -1000'],
    ['an offset without a price source', { offset_bps: 50 }, 'offset_bps', /^needs a price of KES/],
    ['a validity without a rate', { valid_for: 60 }, 'valid_for', 'needs rate_usd or offset_bps'],
    ['a validity of zero', { rate_usd: 129.5, valid_for: 0 }, 'valid_for', 'must be at least 1'],
    [
      'a validity in parts of a second',
      { rate_usd: 129.5, valid_for: 1.5 },
      'valid_for',
      'must be a whole number',
    ],
    [
      'a validity above the maximum',
      { rate_usd: 129.5, valid_for: 86_401 },
      'valid_for',
      'must be at most 86400 seconds',
    ],
    [
      'a validity far above it',
      { rate_usd: 129.5, valid_for: 1e12 },
      'valid_for',
      'must be at most 31536000',
    ],
    ['a minimum below zero', { min: -1 }, 'min', 'must be at least 0'],
    ['a maximum of zero', { max: 0 }, 'max', 'must be more than 0'],
    ['fractions of a cent', { max: 10.001 }, 'max', 'must have at most 2 digits after the point'],
    ['a minimum above the maximum', { min: 11, max: 10 }, 'min', 'must not be above max'],
    ['a minimum above the stored maximum', { min: 50_000.51 }, 'min', 'must not be above your max'],
    ['a maximum below the stored minimum', { max: 999.99 }, 'max', 'must not be below your min'],
    ['a float below zero', { float: -0.01 }, 'float', 'must be at least 0'],
    ['a float above the limit', { float: 1_000_000_000_001 }, 'float', 'must be at most 1000000000000'],
    ['an expected float without a float', { expected_float: 1 }, 'expected_float', 'needs float'],
    ['a warning below zero', { float_low: -1 }, 'float_low', 'must be at least 0'],
    ['quoting as text', { quoting: 'false' }, 'quoting', 'must be true or false'],
    ['a near miss of a field', { rateUsd: 129.5 }, 'rateUsd', /did you mean rate_usd/],
    ['another near miss', { Float: 1, rate_usd: 129.5 }, 'Float', /did you mean float/],
  ])('%s', async (_what, change, field, text) => {
    const lp = await corridor.newLp();
    await published(lp, FULL);
    const before = await read(lp);
    const answer = await publish(lp, { currency: 'KES', method: 'bank_transfer', ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.error.fieldErrors[field]).toEqual([expect.stringMatching(text)]);
    expect(await read(lp)).toEqual(before);
  });

  test.each([
    ['nothing to change', { currency: 'KES' }],
    ['only a method', { currency: 'KES', method: 'till' }],
  ])('%s', async (_what, body) => {
    const lp = await corridor.newLp();
    const answer = await publish(lp, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { formErrors: [expect.stringMatching(/^names nothing to change/)] } },
    });
  });

  test('first terms without a rate', async () => {
    const lp = await corridor.newLp();
    const answer = await publish(lp, { currency: 'KES', method: 'till', float: 1_000, quoting: true });
    expect(answer.status).toBe(400);
    expect(answer.body.error.fieldErrors).toEqual({
      rate_usd: ['is required for your first terms in KES by till, or offset_bps'],
    });
    const stopped = await publish(lp, { currency: 'UGX', quoting: false });
    expect(stopped.status).toBe(400);
    expect(stopped.body.error.fieldErrors.currency).toEqual([
      expect.stringMatching(/^You have no terms in UGX/),
    ]);
    expect(await read(lp)).toMatchObject([{ currency: 'KES', method: 'mobile_money' }]);
  });
});

/** The code of an institution of a currency's banks. */
async function aBankOf(currency: string): Promise<string> {
  const { corridors } = await expectStatus(200, corridor.anyone('GET', '/api/v1/corridors'));
  const found = corridors.find((one: { currency: string }) => one.currency === currency);
  const { institutions } = found.methods.find((one: { method: string }) => one.method === 'bank_transfer');
  return institutions[0].code;
}

import { afterAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import type { TestLp } from '../support/parties.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** LPs publish rates that they cannot or will not honour. Only an LP that could claim this order is quoted. */
const corridor = await startCorridor();
const agent = await corridor.newAgent();
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

/** Each test has its own currency, so that LPs of other tests do not compete. */
let currencies = 0;
const newCurrency = () =>
  `Q${String.fromCharCode(65 + Math.floor(currencies / 26), 65 + (currencies++ % 26))}`;
const NOBODY = { status: 404, body: { error: expect.stringMatching(/^No LP available for this currency/) } };
const dashboardOf = (lp: TestLp | undefined) => {
  if (!lp) throw new Error('There is no such LP');
  return lp.call('GET', `/api/lp/${lp.key}/dashboard`);
};
const quotedFor = async (currency: string, amount: number) => {
  const { status, body } = await agent.pay({ currency, amount });
  return status === 201 ? body.lp.id : status;
};

describe('an LP that could not claim the order is not quoted', () => {
  test('with too little collateral, however many such LPs there are', async () => {
    const currency = newCurrency();
    for (const collateral of [0, 1, 50, 99.99]) await corridor.newLp({ currency, rate: 101, collateral });
    expect(await agent.pay({ currency, amount: 10_100 })).toMatchObject(NOBODY);
    const able = await corridor.newLp({ currency, rate: 100, collateral: 101 });
    expect(await quotedFor(currency, 10_100)).toBe(able.id);
  });

  test('for an amount that no LP could ever cover', async () => {
    const currency = newCurrency();
    await corridor.newLp({ currency, rate: 129.5, collateral: 500 });
    expect(await agent.pay({ currency, amount: 99_999_999_999 })).toMatchObject(NOBODY);
  });

  test('without an address for the token', async () => {
    const currency = newCurrency();
    await corridor.newLp({ currency, rate: 101, asset: false });
    expect(await agent.pay({ currency, amount: 1_000 })).toMatchObject(NOBODY);
    expect(await agent.pay({ currency, amount: 1_000, crypto_symbol: 'usdc' })).toMatchObject(NOBODY);
  });

  test('while its collateral is locked for other orders', async () => {
    const currency = newCurrency();
    const lp = await corridor.newLp({ currency, rate: 100, collateral: 15 });
    const { body } = await agent.pay({ currency, amount: 1_000 });
    expect(await agent.pay({ currency, amount: 1_000 })).toMatchObject({ status: 201 });
    expect((await lp.claim(body.order_id)).status).toBe(200);
    expect(await agent.pay({ currency, amount: 1_000 })).toMatchObject(NOBODY);
  });
});

describe('a rate that is too good to be true is not quoted', () => {
  const BILLION = 1_000_000_000;
  const some = (count: number, currency: string, rate: number, collateral = 1_000) =>
    Promise.all(Array.from({ length: count }, () => corridor.newLp({ currency, rate, collateral })));
  /** The LP that a payment of 100 USD at the honest rate names. */
  const quoted = (currency: string) => quotedFor(currency, 250_000);

  test('beside an honest LP, if its collateral covers the order only at that rate', async () => {
    const currency = newCurrency();
    await corridor.newLp({ currency, rate: BILLION, collateral: 1 });
    const honest = await corridor.newLp({ currency, rate: 2_500 });
    expect(await quoted(currency)).toBe(honest.id);
  });

  test('beside three honest LPs, with as much collateral as each of them', async () => {
    const currency = newCurrency();
    const honest = await some(3, currency, 2_500);
    const liar = await corridor.newLp({ currency, rate: 2_626 });
    expect(honest.map(({ id }) => id)).toContain(await quoted(currency));
    // Five percent above the median is plausible.
    await expectStatus(200, liar.call('POST', `/api/lp/${liar.key}/rates`, { currency, rate_usd: 2_625 }));
    expect(await quoted(currency)).toBe(liar.id);
  });

  test('with many more LPs of the same stranger that agree, and little collateral', async () => {
    const currency = newCurrency();
    const honest = await some(1, currency, 2_500, 500);
    await some(8, currency, BILLION, 50);
    expect(await quoted(currency)).toBe(honest[0]?.id);
  });

  test('and low rates of many such LPs do not exclude the better rate of an honest LP', async () => {
    const currency = newCurrency();
    const honest = await some(1, currency, 2_500, 900);
    await some(8, currency, 1_500, 110);
    expect(await quoted(currency)).toBe(honest[0]?.id);
    const { rates } = await expectStatus(200, dashboardOf(honest[0]));
    expect(rates).toMatchObject([{ currency, not_quoted: null }]);
  });

  test('and the LP sees the reason, until the rate is plausible', async () => {
    const currency = newCurrency();
    await some(3, currency, 100);
    const lp = await corridor.newLp({ currency, rate: 100 });
    const publish = (rate_usd: number) =>
      expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/rates`, { currency, rate_usd }));
    const not_quoted = `Payments do not use this rate: it is more than 5 % above the median of the LPs in ${currency}, weighted by collateral. Payments use rates up to 105.`;
    expect(await publish(105.01)).toEqual({ ok: true, not_quoted });
    expect((await expectStatus(200, dashboardOf(lp))).rates).toMatchObject([{ currency, not_quoted }]);
    expect(await publish(105)).toEqual({ ok: true, not_quoted: null });
    expect((await expectStatus(200, dashboardOf(lp))).rates).toMatchObject([{ currency, not_quoted: null }]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Agent, claim, newAgent, newLp, pay } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** LPs publish rates that they cannot or will not stand behind. Only an LP that could claim the very order is quoted. */
let corridor: TestCorridor;
let agent: Agent;
beforeAll(async () => {
  corridor = await startCorridor();
  agent = await newAgent(corridor);
});
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

/** Each test has its own currency, so that LPs of other tests do not compete. */
let currencies = 0;
const newCurrency = () =>
  `Q${String.fromCharCode(65 + Math.floor(currencies / 26), 65 + (currencies++ % 26))}`;
const NOBODY = { status: 404, body: { error: expect.stringMatching(/^No LP available for this currency/) } };
const quotedFor = async (currency: string, amount: number) => {
  const { status, body } = await pay(agent, { currency, amount });
  return status === 201 ? body.lp.id : status;
};

describe('an LP that could not claim the order is not quoted', () => {
  test('with too little collateral, however many such LPs there are', async () => {
    const currency = newCurrency();
    for (const collateral of [0, 1, 99.99]) await newLp(corridor, { currency, rate: 101, collateral });
    expect(await pay(agent, { currency, amount: 10_100 })).toMatchObject(NOBODY);
    const able = await newLp(corridor, { currency, rate: 100, collateral: 101 });
    expect(await quotedFor(currency, 10_100)).toBe(able.id);
  });

  test('for an amount that no LP could ever cover', async () => {
    const currency = newCurrency();
    await newLp(corridor, { currency, rate: 129.5, collateral: 500 });
    expect(await pay(agent, { currency, amount: 99_999_999_999 })).toMatchObject(NOBODY);
  });

  test('without an address for the token', async () => {
    const currency = newCurrency();
    await newLp(corridor, { currency, rate: 101, asset: false });
    expect(await pay(agent, { currency, amount: 1_000 })).toMatchObject(NOBODY);
    expect(await pay(agent, { currency, amount: 1_000, crypto_symbol: 'usdc' })).toMatchObject(NOBODY);
  });

  test('while its collateral is locked for other orders', async () => {
    const currency = newCurrency();
    const lp = await newLp(corridor, { currency, rate: 100, collateral: 15 });
    const { body } = await pay(agent, { currency, amount: 1_000 });
    expect(await pay(agent, { currency, amount: 1_000 })).toMatchObject({ status: 201 });
    expect((await claim(lp, body.order_id)).status).toBe(200);
    expect(await pay(agent, { currency, amount: 1_000 })).toMatchObject(NOBODY);
  });
});

import { afterAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { publishTerms } from '../../dev/registration.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/**
 * Rates that nobody will ever pay, where few LPs can be compared: in a corridor of their own, or beside one other LP. Each test
 * has a currency of its own.
 */
const corridor = await startCorridor();
const agent = await corridor.newAgent();
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const BILLION = 1_000_000_000;
const NOBODY = { status: 404, body: { error: expect.stringMatching(/^No LP available for this currency/) } };
const own = ({ call, key }: TestLp) => ({ call, own: `/api/lp/${key}` });
const termsOf = async (lp: TestLp) =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).rates;
const bankTermsOf = async (lp: TestLp) =>
  (await termsOf(lp)).filter(({ method }: { method: string }) => method === 'bank_transfer');
const quotedFor = async (currency: string, amount: number) => {
  const { status, body } = await agent.pay({ currency, amount });
  return status === 201 ? body.lp.id : status;
};

/** The LP has completed so many orders, and no others. */
const haveCompleted = (lp: TestLp, orders: number) =>
  corridor.db.pool.query(
    `insert into lp_statistics (lp_id, orders_completed, recent_outcomes, recent_completed, recent_failed_claims,
       recent_quotes, recent_unclaimed, recent_fiat_seconds)
     values ($1, $2, array_fill(true, array[$2::int]), $2, 0, '{}', 0, '{}')`,
    [lp.id, orders],
  );

describe('in a corridor of its own, an LP is compared with the LPs of the currency', () => {
  const ACCOUNTS: Record<string, object> = {
    TZS: { institution: 'crdb', recipient_details: { account_number: '0150123456789' } },
    UGX: { institution: 'centenary', recipient_details: { account_number: '9030001234567' } },
  };
  const toBank = (currency: string, amount: number) => {
    const payout = { currency, amount, method: 'bank_transfer', recipient: undefined, ...ACCOUNTS[currency] };
    return agent.pay(payout);
  };
  const addBank = (lp: TestLp, currency: string, rate_usd: number) =>
    publishTerms(own(lp), { currency, method: 'bank_transfer', rate_usd });
  const newBankLp = async (currency: string, rate: number, collateral: number) => {
    const lp = await corridor.newLp({ currency, rate, collateral });
    await addBank(lp, currency, rate);
    await publishTerms(own(lp), { currency, method: 'mobile_money', quoting: false });
    return lp;
  };

  test('three of which are enough', async () => {
    const currency = 'TZS';
    for (let n = 0; n < 3; n++) await corridor.newLp({ currency, rate: 2_500 });
    const liar = await newBankLp(currency, BILLION, 1);
    expect(await toBank(currency, 250_000)).toMatchObject(NOBODY);
    expect(await bankTermsOf(liar)).toMatchObject([
      {
        not_quoted: expect.stringMatching(/more than 5 % above the median of the LPs in TZS/),
      },
    ]);
    const honest = await newBankLp(currency, 2_400, 500);
    expect(await toBank(currency, 250_000)).toMatchObject({ status: 201, body: { lp: { id: honest.id } } });
  });

  test('or with the only other one', async () => {
    const currency = 'UGX';
    await corridor.newLp({ currency, rate: 3_700 });
    const liar = await newBankLp(currency, BILLION, 1);
    expect(await toBank(currency, 370_000)).toMatchObject(NOBODY);
    expect(await bankTermsOf(liar)).toMatchObject([
      {
        not_quoted: expect.stringMatching(/^Payments of more than 3700 UGX do not use this rate/),
      },
    ]);
    // Its collateral covers this one at the other LP's rate as well.
    expect(await toBank(currency, 3_700)).toMatchObject({ status: 201, body: { lp: { id: liar.id } } });
  });
});

describe('of two LPs with very different rates, of whom the one with less collateral covers the order only at its own', () => {
  const two = async (currency: string) => ({
    better: await corridor.newLp({ currency, rate: 100, collateral: 500 }),
    dear: await corridor.newLp({ currency, rate: 10, collateral: 5_000 }),
  });

  test('the larger collateral prevails if neither has a record, and the other one reads why', async () => {
    const { better, dear } = await two('QAA');
    expect(await quotedFor('QAA', 10_000)).toBe(dear.id);
    const not_quoted =
      'Payments of more than 5000 QAA do not use this rate while the only other LP in QAA has collateral for them: it is more than 5 % above that LP’s rate, and your free collateral covers larger orders only at your own. Deposit collateral, or publish at most 10.5.';
    expect(await termsOf(better)).toMatchObject([{ not_quoted }]);
    expect(await termsOf(dear)).toMatchObject([{ not_quoted: null }]);
    // Both collaterals cover this one at both rates.
    expect(await quotedFor('QAA', 4_000)).toBe(better.id);
  });

  test('an honest LP with a record is not excluded by a dear one without', async () => {
    const { better } = await two('QAB');
    await haveCompleted(better, 10);
    expect(await quotedFor('QAB', 10_000)).toBe(better.id);
    expect(await termsOf(better)).toMatchObject([{ not_quoted: null }]);
  });

  test('a few orders are no record, and the other one’s record counts more if it is longer', async () => {
    const { better, dear } = await two('QAC');
    await haveCompleted(better, 9);
    expect(await quotedFor('QAC', 10_000)).toBe(dear.id);
    await corridor.db.pool.query('update lp_statistics set recent_completed = 30 where lp_id = $1', [
      better.id,
    ]);
    await haveCompleted(dear, 30);
    expect(await quotedFor('QAC', 10_000)).toBe(dear.id);
  });

  test('within 5 % of each other, the better one is quoted', async () => {
    const currency = 'QAD';
    const better = await corridor.newLp({ currency, rate: 105, collateral: 97 });
    await corridor.newLp({ currency, rate: 100, collateral: 5_000 });
    expect(await quotedFor(currency, 10_000)).toBe(better.id);
    expect(await termsOf(better)).toMatchObject([{ not_quoted: null }]);
  });
});

test('LPs with nearly half of the collateral cannot lift the quote 5 % above the other half’s best rate', async () => {
  const currency = 'QAF';
  await corridor.newLp({ currency, rate: 99, collateral: 520 });
  const best = await corridor.newLp({ currency, rate: 101, collateral: 500 });
  for (let n = 0; n < 2; n++) await corridor.newLp({ currency, rate: 106, collateral: 490 });
  expect(await quotedFor(currency, 10_000)).toBe(best.id);
});

describe('an LP that leaves what is quoted from it', () => {
  const expire = async (currency: string, amount: number) => {
    const { order_id } = await expectStatus(201, agent.pay({ currency, amount }));
    await expectStatus(200, agent.expireNow(order_id));
    await eventuallyEquals(() => agent.statusOf(order_id), 'cancelled');
  };
  const unclaimedOf = async (lp: TestLp) =>
    (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).lp.unclaimed_quotes;

  test('ranks behind every other LP, whatever its rate, and reads it', async () => {
    const currency = 'QAE';
    // Collateral for an order at the rates of both.
    const liar = await corridor.newLp({ currency, rate: BILLION });
    let honest: TestLp | undefined;
    for (let n = 1; n <= 5; n++) {
      expect(await quotedFor(currency, 25_000)).toBe(liar.id);
      await expire(currency, 25_000);
      await eventuallyEquals(() => unclaimedOf(liar), n);
      if (n === 4) honest = await corridor.newLp({ currency, rate: 2_500 });
    }
    expect(await quotedFor(currency, 25_000)).toBe(honest?.id);
    expect(await termsOf(liar)).toMatchObject([
      {
        not_quoted: expect.stringMatching(
          /^Payments use this rate only if no other LP can take the order, until 20\d\d-/,
        ),
      },
    ]);
  });
});

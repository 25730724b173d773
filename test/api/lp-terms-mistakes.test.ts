import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Mistakes of an LP in its terms, and Corridor's messages about them. */
const corridor = await useCorridor({ worker: false });
const agent = await corridor.newAgent();

const publish = (lp: TestLp, terms: object) => lp.call('POST', `/api/lp/${lp.key}/terms`, terms);
const published = async (lp: TestLp, terms: object) => (await expectStatus(200, publish(lp, terms))).terms;
const read = async (lp: TestLp) => (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/terms`))).terms;

test('a float that covers no order is the reason why Corridor does not quote the rate', async () => {
  const lp = await corridor.newLp();
  const notQuoted = async (terms: object) =>
    (await published(lp, { currency: 'KES', ...terms }))[0].not_quoted;
  const tooLow =
    'Your float covers no order that you take. Set it when you have more, or lower your minimum.';
  expect(await notQuoted({ float: 0 })).toBe(tooLow);
  expect(await notQuoted({ float: 1 })).toBeNull();
  expect(await notQuoted({ min: 100, float: 99.99 })).toBe(tooLow);
  expect(await notQuoted({ float: 100 })).toBeNull();
});

test('terms that take no order of the corridor are the reason why Corridor does not quote the rate', async () => {
  const lp = await corridor.newLp();
  const notQuoted = async (terms: object) =>
    (await published(lp, { currency: 'KES', ...terms }))[0].not_quoted;
  const none =
    'Orders of KES by mobile_money are from 1 to 250000 KES, and your terms take none of these. Change your minimum, your maximum or your float.';
  for (const terms of [{ min: 250_000.01 }, { min: null, max: 0.99 }, { max: null, float: 0.99 }]) {
    expect(await notQuoted(terms)).toBe(none);
    expect((await agent.pay({ amount: 1 })).status).toBe(404);
  }
  const rate = { currency: 'KES', rate_usd: 129.5 };
  const { not_quoted } = await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/rates`, rate));
  expect(not_quoted).toBe(none);
  expect(await notQuoted({ float: 1, max: 1, min: 1 })).toBeNull();
  expect((await agent.pay({ amount: 1 })).status).toBe(201);
  // A currency without a corridor has no such limits.
  const free = { currency: 'XTS', rate_usd: 2, min: 250_000.01, max: null, float: null };
  expect((await published(lp, free))[0].not_quoted).toBeNull();
});

test('a refused claim names the corridor as the terms do', async () => {
  const lp = await corridor.newLp({ currency: 'XTS', rate: 2 });
  const refused = async (currency: string) => {
    const { order_id } = await expectStatus(201, agent.pay({ amount: 200, currency }));
    return (await expectStatus(400, lp.claim(order_id))).error;
  };
  await corridor.newLp();
  expect(await refused('KES')).toBe('You have no terms for KES by mobile_money: publish them first');
  await corridor.newLp({ currency: 'XTS', rate: 2 });
  await published(lp, { currency: 'XTS', max: 199 });
  // A currency without a corridor has any text as a method, but `POST …/terms` does not accept it.
  expect(await refused('XTS')).toBe('200 XTS is above your maximum of 199 XTS');
});

test('an unknown field is refused: it could be a misspelt limit', async () => {
  const lp = await corridor.newLp();
  const before = await read(lp);
  for (const field of ['flaot', 'max_fiat', 'maximum']) {
    const answer = await publish(lp, { currency: 'KES', rate_usd: 130, [field]: 5_000 });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.body.error.formErrors).toEqual([`${field}: no such field`]);
  }
  expect(await read(lp)).toEqual(before);
});

test('another float than the expected one is refused', async () => {
  const lp = await corridor.newLp();
  const change = (float: number | null, expected_float: number | null) =>
    publish(lp, { currency: 'KES', float, expected_float });
  expect(await change(100, 50)).toMatchObject({
    ...{ status: 409 },
    body: {
      error:
        'Your float is not counted: an order or another request has changed it. Calculate the new float from that',
    },
  });
  expect((await change(100.5, null)).status).toBe(200);
  expect(await change(200, null)).toMatchObject({
    ...{ status: 409, headers: expect.anything() },
    body: {
      error:
        'Your float is 100.5 KES: an order or another request has changed it. Calculate the new float from that',
    },
  });
  expect((await change(null, 100.5)).status).toBe(200);
  const first = { currency: 'KES', method: 'till', rate_usd: 129.5, float: 1 };
  expect((await publish(lp, { ...first, expected_float: 1 })).status).toBe(409);
  expect((await publish(lp, { ...first, expected_float: null })).status).toBe(200);
});

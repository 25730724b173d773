import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { startJsonServer } from '../support/json-server.ts';
import type { TestLp } from '../support/parties.ts';

const priceReply = (ageMs: number) => ({
  json: { as_of: new Date(Date.now() - ageMs).toISOString(), per_usd: { KES: '130', UGX: '3700' } },
});
const publish = (lp: TestLp, currency: string, rate_usd: number) =>
  expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/rates`, { currency, rate_usd }));

test('rates that were published while the price source was away are checked once it is back', async () => {
  const source = await startJsonServer(() => priceReply(600_000));
  const env = { PRICE_SOURCE_URL: source.url, PRICE_MAX_AGE: '5m' };
  const corridor = await startCorridor({ worker: false, env });
  try {
    const agent = await corridor.newAgent();
    const honest = await corridor.newLp({ currency: 'KES', rate: 130 });
    const liar = await corridor.newLp({ currency: 'KES', rate: 130, collateral: 5_000 });
    const dear = await corridor.newLp({ currency: 'UGX', rate: 37, collateral: 5_000 });
    // Nobody knows a price now, and these are as good as any.
    expect(await publish(liar, 'KES', 1_000_000_000)).toEqual({ ok: true, not_quoted: null });
    const quoted = async () => (await agent.pay()).body.lp.id;
    expect(await quoted()).toBe(liar.id);

    source.answer(() => priceReply(0));
    await eventuallyEquals(quoted, honest.id);
    const reasonOf = async ({ call, key }: TestLp) =>
      (await expectStatus(200, call('GET', `/api/lp/${key}/dashboard`))).rates[0].not_quoted;
    expect(await reasonOf(honest)).toBeNull();
    expect(await reasonOf(liar)).toBe(
      'Payments do not use this rate: it is more than 10 % off the price source’s price of 130 KES per USD. Publish a rate nearer to it.',
    );
    expect(await reasonOf(dear)).toMatch(/off the price source’s price of 3700 UGX per USD/);
    expect((await agent.pay({ currency: 'UGX', amount: 3_700 })).status).toBe(404);

    // An offset is near the price by itself.
    const terms = { currency: 'KES', offset_bps: 1_000 };
    await expectStatus(200, liar.call('POST', `/api/lp/${liar.key}/terms`, terms));
    expect(await reasonOf(liar)).toBeNull();
    expect(await quoted()).toBe(liar.id);

    // While the price of the currency moves away from a rate, this one is not quoted either.
    source.answer(() => ({ json: { as_of: new Date().toISOString(), per_usd: { KES: '145' } } }));
    await eventually(async () => /price of 145 KES/.test(await reasonOf(honest)));
  } finally {
    await corridor.stop();
    await source.close();
  }
});

import { afterAll, expect, test } from '@jest/globals';
import { publishSandboxTerms } from '../../companion/sandbox-terms.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import { startJsonServer } from '../support/json-server.ts';

const pricesAre = (KES: string) =>
  source.answer(() => ({ json: { as_of: new Date().toISOString(), per_usd: { KES, UGX: '3700' } } }));
/** The simulated LPs of the sandbox keep their terms, beside a price source that moves. */
const source = await startJsonServer(() => 'hang');
pricesAre('129.5');
// Corridor asks the source every five seconds. Without a usable price in between, it would accept any rate.
const env = { PRICE_SOURCE_URL: source.url, PRICE_MAX_AGE: '1m', RATE_VALID_FOR: '4s' };
const corridor = await startCorridor({ env, worker: false });
const lp = await corridor.newLp();
afterAll(async () => {
  await corridor?.stop();
  await source?.close();
});

test('a renewal that the price source refuses stops no other renewal, and is tried again', async () => {
  const lines: string[] = [];
  const own = `/api/lp/${lp.key}`;
  const simulated = { call: lp.call, own, name: 'Sandbox LP A', id: lp.id } as never;
  const rates = [
    ['KES', 129.5],
    ['UGX', 3_700],
  ] as const;
  const { keep } = await publishSandboxTerms(corridor.config.publicUrl, [simulated], rates, (line) =>
    lines.push(line),
  );
  const isFresh = async (currency: string) => {
    const { terms } = await expectStatus(200, lp.call('GET', `${own}/terms`));
    const of = terms.filter((one: { currency: string }) => one.currency === currency);
    return of.every((one: { valid_until: string }) => Date.parse(one.valid_until) > Date.now());
  };
  pricesAre('200');
  await eventually(async () => {
    await keep();
    return lines.some((line) => line.startsWith('Sandbox LP A: KES by mobile_money is not renewed: 400'));
  });
  await eventually(async () => {
    await keep();
    return !(await isFresh('KES')) && (await isFresh('UGX'));
  });
  expect(lines.filter((line) => line.includes('KES by mobile_money is not renewed'))).toHaveLength(1);
  pricesAre('129.5');
  await eventually(async () => {
    await keep();
    return isFresh('KES');
  });
});

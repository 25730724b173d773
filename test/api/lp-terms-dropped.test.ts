import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { closeIncidents, INCIDENT_REASON, incidentsIn, openIncident } from '../support/incidents.ts';

const BANK = {
  ...{ method: 'bank_transfer', institution: 'equity' },
  ...{ recipient: undefined, recipient_details: { account_number: '9030001234567' } },
};

afterAll(async () => {
  await after?.stop();
  await before?.stop();
  rmSync(folder, { recursive: true });
});

const publish = (at: TestCorridor, terms: object) => at.as(lp.key)('POST', `/api/lp/${lp.key}/terms`, terms);
/** The operator replaces the corridors by a file without a method and without a currency, in which LPs have terms. */
const folder = mkdtempSync(join(tmpdir(), 'corridor-corridors-'));
const file = join(folder, 'corridors.json');
const builtIn = new URL('../../src/market/corridors/built-in.json', import.meta.url);
const { currencies } = JSON.parse(readFileSync(builtIn, 'utf8'));
const { till: _, ...methods } = currencies.KES.methods;
const { UGX: __, ...others } = currencies;
writeFileSync(file, JSON.stringify({ currencies: { ...others, KES: { ...currencies.KES, methods } } }));
const databaseUrl = await freshDatabase();
const before = await startCorridor({ databaseUrl, worker: false });
const lp = await before.newLp();
for (const terms of [
  { currency: 'KES', method: 'till', rate_usd: 129 },
  { currency: 'UGX', method: 'bank_transfer', rate_usd: 3_700 },
  { currency: 'XTS', method: '*', rate_usd: 2 },
])
  await expectStatus(200, publish(before, terms));
const agent = await before.newAgent();
const order = await agent.newOrder({
  ...{ method: 'till', recipient: undefined, recipient_details: { till_number: '123456' } },
});
await agent.newOrder({ currency: 'UGX', amount: 37_000, ...BANK });
const after = await startCorridor({ databaseUrl, worker: false, env: { CORRIDORS_FILE: file } });
const DROPPED =
  'The operator no longer offers this method, so there are no new orders. You can only stop quoting.';
const DROPPED_TERMS = [
  { currency: 'KES', method: 'till' },
  { currency: 'UGX', method: 'bank_transfer' },
];

test.each(DROPPED_TERMS)('the LP reads that $currency by $method is no longer offered', async (corridor) => {
  const { terms } = await expectStatus(200, after.as(lp.key)('GET', `/api/lp/${lp.key}/terms`));
  const { rates } = await expectStatus(200, after.as(lp.key)('GET', `/api/lp/${lp.key}/dashboard`));
  for (const list of [terms, rates]) {
    expect(list).toContainEqual(expect.objectContaining({ ...corridor, not_quoted: DROPPED }));
    expect(list).toContainEqual(expect.objectContaining({ method: 'mobile_money', not_quoted: null }));
    expect(list).toContainEqual(expect.objectContaining({ currency: 'XTS', not_quoted: null }));
  }
});

test.each(DROPPED_TERMS)('it can stop $currency by $method, and change nothing else', async (corridor) => {
  for (const change of [{ max: 500 }, { quoting: true }, { rate_usd: 130 }, { quoting: false, float: 10 }]) {
    const { status, body } = await publish(after, { ...corridor, ...change });
    expect([status, body.error.fieldErrors]).toEqual([
      400,
      { method: ['is no longer offered by the operator: you can only send "quoting": false'] },
    ]);
  }
  const { terms } = await expectStatus(200, publish(after, { ...corridor, quoting: false }));
  expect(terms).toMatchObject([
    { ...corridor, quoting: false, max: null, float: null, not_quoted: 'You have stopped quoting here.' },
  ]);
});

test('a method in which it has no terms is refused as before, also to stop it', async () => {
  for (const method of ['paybil', 'constructor', '*']) {
    const { status, body } = await publish(after, { currency: 'KES', method, quoting: false });
    expect([status, body.error.fieldErrors.method]).toEqual([
      400,
      ['must be one of mobile_money, bank_transfer, paybill'],
    ]);
  }
});

test.each(DROPPED_TERMS)(
  'an incident can be opened for the open orders of $currency by $method',
  async (corridor) => {
    await openIncident(after.admin, corridor);
    expect(await incidentsIn(after.admin)).toContainEqual(
      expect.objectContaining({ ...corridor, closed_at: null }),
    );
    if (corridor.method === 'till')
      expect(await lp.claim(order)).toMatchObject({
        ...{ status: 503, body: { error: expect.stringContaining(INCIDENT_REASON) } },
      });
    await closeIncidents(after.admin);
  },
);

test('an incident of a method that nothing has is refused, with the methods of live orders', async () => {
  const open = async (body: object) =>
    (await after.admin('POST', '/api/admin/incidents', { ...body, reason: 'It is down' })).body.error
      .fieldErrors;
  expect(await open({ currency: 'KES', method: 'tils' })).toEqual({
    method: ['must be one of mobile_money, bank_transfer, paybill, till'],
  });
  expect(await open({ currency: 'UGX', method: 'mobile_money' })).toEqual({
    method: ['must be one of bank_transfer'],
  });
});

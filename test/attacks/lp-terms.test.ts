import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { startJsonServer } from '../support/json-server.ts';
import type { TestLp } from '../support/parties.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** LPs and strangers try to publish terms that are not allowed. The price source has 129.5 KES for a dollar, and no price for XTS. */
const source = await startJsonServer(() => ({
  json: { as_of: new Date().toISOString(), crypto_usd: {}, per_usd: { KES: '129.5' } },
}));
const corridor = await startCorridor({
  worker: false,
  env: { PRICE_SOURCE_URL: source.url, RATE_VALID_FOR: '1h' },
});
const agent = await corridor.newAgent();
afterAll(async () => {
  await corridor.stop();
  await source.close();
});

const publish = (lp: TestLp, body: unknown) => lp.call('POST', `/api/lp/${lp.key}/terms`, body);
const published = async (lp: TestLp, body: object) => (await expectStatus(200, publish(lp, body))).terms;
const TERMS = 'select * from lp_term where lp_id = $1 order by currency, method';
const rowsOf = async (lp: TestLp) => (await corridor.db.pool.query(TERMS, [lp.id])).rows;
const count = (statuses: number[], wanted: number) => statuses.filter((status) => status === wanted).length;
const inParallel = async (calls: Promise<{ status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status);
const BANK = { currency: 'KES', method: 'bank_transfer' };

describe('invalid terms are refused, and change nothing', () => {
  let lp: TestLp;
  beforeAll(async () => {
    lp = await corridor.newLp();
    await published(lp, { currency: 'KES', min: 10, max: 90_000, float: 50_000, float_low: 5 });
    await published(lp, { currency: 'XTS', rate_usd: 2 });
  });

  /** As JSON, because some values have no other form. */
  const FIELDS: [field: string, values: string[]][] = [
    [
      'currency',
      ['null', '""', '"KE"', '"KESX"', '"ＫＥＳ"', '"КES"', '"K\\u0000S"', '["KES"]', '{"KES":1}'],
    ],
    ['method', ['null', '""', '"MOBILE_MONEY"', '"mobile-money"', '"*"', '["till"]', '"m\\u0000"']],
    ['method', ['"constructor"', '"__proto__"', '"toString"', '"hasOwnProperty"']],
    ['rate_usd', ['null', '1e309', '-1e309', 'NaN', 'Infinity', '"129.5"', '[129.5]', '{"$gt":0}', 'true']],
    ['rate_usd', ['0', '-0', '-129.5', '1e-9', '1e-400', '129.123456789', '1e12']],
    ['rate_usd', ['142.46', '116.54', '12.95', '1295', '1e9']],
    ['offset_bps', ['null', '1001', '-1001', '0.5', '"50"', '1e309', '[50]']],
    ['valid_for', ['60', '86401', '1e309', '1e15', '-1', '0', '0.5', '"60"', 'null']],
    ['min', ['-0.01', '0.001', '1e309', '"10"', '90000.01', '1e13', '[10]']],
    ['max', ['0', '-1', '9.99', '1e309', '1e13', '1000.001', '"1000"']],
    ['float', ['-0.01', '0.001', '1e309', '1e13', '"50000"', '[50000]', 'true']],
    ['expected_float', ['50000', 'null']],
    ['float_low', ['-1', '1e309', '0.001', '"5"']],
    ['quoting', ['0', '1', '"true"', 'null', '[]']],
  ];
  const CASES = FIELDS.flatMap(([field, values]) => values.map((value): [string, string] => [field, value]));
  test.each<[string, string]>([
    ...CASES,
    ['rate_usd', '129.5,"offset_bps":10'],
    ['rate_usd', '129.5,"valid_for":86401'],
    ['offset_bps', '10,"valid_for":86401'],
    ['offset_bps', '10,"currency":"XTS"'],
    ['min', '6,"max":5'],
    ['min', '6,"method":"till"'],
  ])('%s is never %s', async (field, value) => {
    const before = await rowsOf(lp);
    const changes = ['currency', 'method'].includes(field) ? ',"rate_usd":129.5' : '';
    const answer = await publish(lp, `{"currency":"KES","${field}":${value}${changes}}`);
    expect([answer.status, await rowsOf(lp)]).toEqual([400, before]);
  });

  test.each(['', 'null', '[]', '"KES"', '{}', '[{"currency":"KES","rate_usd":129.5}]', '{"currency":"KES"'])(
    'the body %s',
    async (body) => {
      const before = await rowsOf(lp);
      expect([(await publish(lp, body)).status, await rowsOf(lp)]).toEqual([400, before]);
    },
  );
});

test('a currency in another spelling is the same corridor', async () => {
  const lp = await corridor.newLp();
  for (const [i, currency] of ['kes', ' KES ', 'Kes', 'kES\n'].entries())
    expect(await published(lp, { currency, method: 'mobile_money', float: i })).toMatchObject([
      { currency: 'KES', method: 'mobile_money', rate_usd: 129.5, float: i },
    ]);
  expect(await rowsOf(lp)).toHaveLength(1);
});

test('only a rate makes terms valid for longer', async () => {
  const lp = await corridor.newLp({ currency: 'UGX', rate: 3_700 });
  await corridor.db.pool.query(
    `update lp_term set valid_until = date_trunc('milliseconds', now()) where lp_id = $1`,
    [lp.id],
  );
  const [{ valid_until }] = await rowsOf(lp);
  for (const change of [{ quoting: true }, { min: 1 }, { max: 5e6 }, { float: 1e7 }, { float_low: 1 }])
    await published(lp, { currency: 'UGX', ...change });
  expect((await rowsOf(lp))[0].valid_until).toEqual(valid_until);
  expect((await agent.pay({ currency: 'UGX', amount: 37_000 })).status).toBe(404);
});

test.each([
  '"float_reserved":0',
  '"valid_until":"2999-01-01T00:00:00.000Z"',
  '"validForMs":1e15',
  '"rate":true,"rate_usd":null',
  '"lp_id":1',
  '"changed":"1"',
  '"__proto__":{"rate_usd":100,"quoting":false}',
])('%s sets nothing', async (more) => {
  const lp = await corridor.newLp();
  const reserve = 'update lp_term set float_available = 5, float_reserved = 7 where lp_id = $1';
  await corridor.db.pool.query(reserve, [lp.id]);
  const before = await rowsOf(lp);
  const { status } = await publish(lp, `{"currency":"KES","min":1,${more}}`);
  expect([status, await rowsOf(lp)]).toEqual([400, before]);
});

describe('requests at the same time', () => {
  test('that change different fields all count', async () => {
    const lp = await corridor.newLp();
    for (let round = 1; round <= 10; round += 1) {
      const changes = [
        ...[{ min: round }, { max: 90_000 + round }, { float: 1_000 + round }, { float_low: round }],
        ...[{ rate_usd: 129 + round / 100 }, { quoting: round % 2 === 0, method: 'mobile_money' }],
      ];
      const statuses = await inParallel(changes.map((change) => publish(lp, { currency: 'KES', ...change })));
      expect(count(statuses, 200)).toBe(changes.length);
      const [terms] = await published(lp, { currency: 'KES', method: 'mobile_money', min: round });
      expect(terms).toMatchObject(Object.assign({}, ...changes));
    }
  });

  test('that top up the same float: one counts, and the others get a conflict', async () => {
    const lp = await corridor.newLp();
    await published(lp, { currency: 'KES', float: 100 });
    const topUps = Array.from({ length: 12 }, (_, i) => 200 + i);
    const statuses = await inParallel(
      topUps.map((float) => publish(lp, { currency: 'KES', float, expected_float: 100 })),
    );
    expect([count(statuses, 200), count(statuses, 409)]).toEqual([1, 11]);
  });

  test('that top up the float until it counts: none is lost', async () => {
    const lp = await corridor.newLp();
    await published(lp, { currency: 'KES', float: 0 });
    const topUp = async (amount: number): Promise<void> => {
      const [{ float_available }] = await rowsOf(lp);
      const expected_float = Number(float_available);
      const change = { currency: 'KES', float: expected_float + amount, expected_float };
      if ((await publish(lp, change)).status === 409) await topUp(amount);
    };
    await Promise.all([1, 2, 4, 8, 16, 32, 64, 128].map(topUp));
    expect((await rowsOf(lp))[0].float_available).toBe('255.00');
  });

  test('that publish the first terms of a corridor leave one row, and all count', async () => {
    const lp = await corridor.newLp();
    const first = await corridor.db.pool.connect();
    try {
      await first.query('begin');
      await first.query(
        `insert into lp_term (lp_id, currency, method, rate_usd, min_fiat, valid_until)
         values ($1, 'KES', 'bank_transfer', 129, 7, now() + interval '1 hour')`,
        [lp.id],
      );
      const second = publish(lp, { ...BANK, rate_usd: 130, max: 500 });
      await eventuallyEquals(() => countWaiting(corridor.db.pool, 'known as'), 1);
      await first.query('commit');
      const { terms } = await expectStatus(200, second);
      expect(terms).toMatchObject([{ ...BANK, rate_usd: 130, min: 7, max: 500 }]);
    } finally {
      await first.query('rollback');
      first.release();
    }
    expect(await rowsOf(lp)).toHaveLength(2);
  });

  test('that change corridors while others stop the currency do not block each other', async () => {
    const lp = await corridor.newLp();
    for (const method of ['bank_transfer', 'till', 'paybill'])
      await published(lp, { currency: 'KES', method, rate_usd: 129.5 });
    const calls = ['mobile_money', 'till', 'paybill', 'bank_transfer'].flatMap((method, i) => [
      publish(lp, { currency: 'KES', method, rate_usd: 130 }),
      publish(lp, { currency: 'KES', quoting: i % 2 === 0 }),
      publish(lp, { currency: 'KES', method, quoting: true }),
    ]);
    expect(count(await inParallel(calls), 200)).toBe(calls.length);
    await published(lp, { currency: 'KES', quoting: false });
    expect((await rowsOf(lp)).map(({ quoting }) => quoting)).toEqual([false, false, false, false]);
  });
});

describe('the terms of another LP', () => {
  test('do not change, whatever an LP publishes or stops', async () => {
    const [victim, attacker] = [await corridor.newLp(), await corridor.newLp()];
    await published(victim, { ...BANK, rate_usd: 129.5, float: 1_000 });
    await published(attacker, { ...BANK, rate_usd: 129.5, float: 2_000 });
    const before = await rowsOf(victim);
    await published(attacker, { currency: 'KES', quoting: false });
    await published(attacker, { ...BANK, rate_usd: 120, float: 0, min: 500, max: 600 });
    expect(await rowsOf(victim)).toEqual(before);
  });

  test('cannot be changed or read with another key', async () => {
    const [victim, attacker] = [await corridor.newLp(), await corridor.newLp()];
    const before = await rowsOf(victim);
    const path = `/api/lp/${victim.key}/terms`;
    for (const call of [attacker.call, agent.call, corridor.admin, corridor.anyone]) {
      expect((await call('POST', path, { currency: 'KES', quoting: false })).status).toBe(401);
      expect((await call('GET', path)).status).toBe(401);
    }
    for (const key of [String(victim.id), '%', 'null'])
      expect((await attacker.call('POST', `/api/lp/${encodeURIComponent(key)}/terms`, BANK)).status).toBe(
        401,
      );
    expect(await rowsOf(victim)).toEqual(before);
  });

  test('cannot be changed with a key that has been replaced', async () => {
    const lp = await corridor.newLp();
    const before = await rowsOf(lp);
    const rotation = lp.call('POST', `/api/lp/${lp.key}/rotate`, { overlap: 0 });
    await expectStatus(201, rotation);
    expect((await publish(lp, { currency: 'KES', rate_usd: 120 })).status).toBe(401);
    expect(await rowsOf(lp)).toEqual(before);
  });
});

test('the best terms of a suspended LP are not used', async () => {
  const lp = await corridor.newLp({ currency: 'RWF', rate: 1_300 });
  expect((await agent.pay({ currency: 'RWF', amount: 13_000 })).status).toBe(201);
  await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/suspend`, {}));
  await published(lp, { currency: 'RWF', rate_usd: 2_000, float: 1e9, quoting: true });
  expect((await agent.pay({ currency: 'RWF', amount: 13_000 })).status).toBe(404);
  const { lps } = await expectStatus(200, corridor.anyone('GET', '/api/lps'));
  expect(lps.map(({ id }: { id: number }) => id)).not.toContain(lp.id);
});

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { decimal } from '../../src/domain/money.ts';
import { HEADS, sendParts } from '../support/receipts.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp();

const register = (body: unknown, headers = {}) => corridor.anyone('POST', '/api/lp/register', body, headers);
const LP = { xrpl_address: 'r', mpesa_phone: '1' };

describe('JSON', () => {
  test.each([
    ['deep arrays', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['deep objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['deep arrays without an end', '[{"a":'.repeat(9_000)],
    ['a string', '"text"'],
    ['a number', '1'],
    ['null', 'null'],
    ['an array', '[]'],
    ['NaN', '{"amount":NaN}'],
    ['Infinity', '{"amount":Infinity}'],
    ['a hexadecimal number', '{"amount":0x10}'],
    ['a plus sign', '{"amount":+1}'],
    ['a leading zero', '{"amount":01}'],
    ['a comment', '{"amount":1/**/}'],
    ['a trailing comma', '{"amount":1,}'],
    ['two values', '{}{}'],
    ['a NUL after the object', '{}\0'],
    ['a byte order mark', '\ufeff{}'],
  ])('with %s is refused', async (_, text) => {
    expect((await register(text)).status).toBe(400);
  });

  test('with many keys is refused quickly', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]));
    expect((await register(many)).status).toBe(400);
    const currencies = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`${i}`.padStart(3, '0'), 1]),
    );
    expect((await register({ ...LP, supported_currencies: currencies })).status).toBe(400);
  });

  test('that decompresses to more than the limit is refused, and so is an unknown encoding', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    expect((await register(bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
    for (const encoding of ['zstd', 'identity, gzip', 'x'])
      expect((await register('{}', { 'content-encoding': encoding })).status).toBe(400);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json-seq',
    'text/json',
  ])('with the content type %s is refused', async (type) => {
    expect((await register(JSON.stringify(LP), { 'content-type': type })).status).toBe(400);
  });
});

describe('keys that every JavaScript object inherits', () => {
  test.each([
    '{"__proto__":{"xrpl_address":"r","mpesa_phone":"1"}}',
    '{"constructor":{"prototype":{"xrpl_address":"r","mpesa_phone":"1"}}}',
    '{"xrpl_address":"r","mpesa_phone":"1","supported_currencies":{"__proto__":1}}',
    '{"xrpl_address":"r","mpesa_phone":"1","supported_currencies":{"constructor":1}}',
    '{"xrpl_address":"r","mpesa_phone":"1","supported_currencies":["KES"]}',
  ])('are not fields of the body: %s', async (text) => {
    expect((await register(text)).status).toBe(400);
  });

  test('do not change later requests', async () => {
    const own = { toString: 'x', hasOwnProperty: 1, valueOf: 1, isPrototypeOf: null };
    expect((await register({ ...LP, ...own })).status).toBe(201);
    const poison = '{"__proto__":{"status":"approved","polluted":true},';
    expect((await register(JSON.stringify(LP).replace('{', poison))).status).toBe(400);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((await register({})).status).toBe(400);
  });

  test('are not fields of a form', async () => {
    const file = { name: 'file', content: HEADS['image/png'], filename: 'a.png' };
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const { status } = await sendParts(lp, [{ name, content: '{"order_id":"1"}' }, file]);
      expect([name, status]).toEqual([name, 400]);
    }
  });

  test('are not a currency, token, chain, state or order', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      for (const field of ['currency', 'crypto_symbol', 'crypto_chain', 'rate_lock_id'])
        expect([field, name, (await agent.pay({ [field]: name })).status]).toEqual([field, name, 400]);
      for (const path of [`/api/v1/orders?status=${name}`, `/api/admin/orders?status=${name}`])
        expect((await agent.call('GET', path)).status).not.toBe(200);
      expect((await corridor.admin('GET', `/api/admin/lps?status=${name}`)).status).toBe(400);
    }
  });

  test('unknown fields do not approve an LP or give it a tier or a role', async () => {
    const asked = { ...LP, status: 'suspended', tier: 3, id: 1, user_id: 1, key_hash: 'x', available: 1e6 };
    const { lp_key } = await expectStatus(201, register(asked));
    const { lp: row } = await expectStatus(200, corridor.as(lp_key)('GET', `/api/lp/${lp_key}/dashboard`));
    expect(row).toMatchObject({ status: 'approved', tier: 0, collateral: { available: 0, locked: 0 } });
    expect(row.id).not.toBe(1);
  });
});

describe('an amount', () => {
  const INVALID = [
    '1e308',
    '1e309',
    '-1e308',
    '1e-9',
    '5e-324',
    '0',
    '-0',
    '0.0',
    '-1',
    '0.1234567890123',
    '0.30000000000000004',
    '9007199254740993',
    '1000000000000.01',
    '1000000000001',
    '"1"',
    '"NaN"',
    '"Infinity"',
    '"1e3"',
    '"0x10"',
    '""',
    'null',
    'true',
    '[1]',
    '{}',
    '{"valueOf":1}',
  ];
  const withAmount = (field: string, number: string, rest: object) =>
    JSON.stringify({ ...rest, [field]: 'PLACE' }).replace('"PLACE"', number);

  test.each(INVALID)('of %s is refused by every route', async (number) => {
    const payout = { currency: 'KES', recipient: '+254700123456', user_id: agent.userId };
    const rest = { asset: 'usdt', address: 'T', reason: 'r', outcome: 'cancelled' };
    const answers = [
      agent.call('POST', '/api/v1/pay', withAmount('amount', number, payout)),
      agent.call('POST', '/api/v1/rates', withAmount('amount', number, payout)),
      lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, withAmount('amount', number, rest)),
      lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, withAmount('amount', number, rest)),
      lp.call('POST', `/api/lp/${lp.key}/rates`, withAmount('rate_usd', number, { currency: 'KES' })),
    ];
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    // A rate has at most eight digits after the point.
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
  });

  test('keeps every digit, even where binary fractions would not', async () => {
    const { status, body } = await agent.pay({ amount: 0.1 + 0.7 });
    expect([status, body.message]).toEqual([400, 'Validation failed']);
    const before = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`));
    let deposited = decimal(before.balance.available);
    for (const amount of [0.1, 0.2]) {
      const { deposit_id, pay_to } = await expectStatus(
        200,
        lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, { amount }),
      );
      await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/collateral/${deposit_id}/confirm`, {}));
      deposited = deposited.plus(pay_to.amount);
    }
    const sql = 'select available::text from lp_collateral where lp_id = $1';
    const [row] = await corridor.db.query<{ available: string }>('t-available', sql, [lp.id]);
    expect(row?.available).toBe(deposited.toFixed(6));
  });

  test.each(['1e3', '1.0', '1.5e2', '1000.00'])('may be written as %s', async (number) => {
    const payout = { currency: 'KES', recipient: '+254700123456', user_id: agent.userId };
    expect((await agent.call('POST', '/api/v1/pay', withAmount('amount', number, payout))).status).toBe(201);
  });
});

test.each([
  '9007199254740993',
  '9223372036854775808',
  '99999999999999999999',
  '-1',
  '0',
  '1.5',
  '1e3',
  'NaN',
])('the id %s belongs to no order', async (id) => {
  const user = JSON.stringify({ amount: 1, currency: 'KES', recipient: '+254700123456', user_id: 'PLACE' });
  expect((await agent.call('POST', '/api/v1/pay', user.replace('"PLACE"', id))).status).toBe(400);
  for (const path of [`/api/v1/status/${id}`, `/api/v1/orders/${id}/timeline`])
    expect([path, (await agent.call('GET', path)).status]).toEqual([path, 404]);
  for (const path of [`/api/orders/${id}/claim`, `/api/lp/${lp.key}/collateral/${id}/confirm`])
    expect([path, (await lp.call('POST', path, {})).status]).toEqual([path, 404]);
  for (const path of [`/api/admin/lps/${id}/approve`, `/api/admin/agent-keys/${id}/rotate`])
    expect([path, (await corridor.admin('POST', path, {})).status]).toEqual([path, 404]);
  expect((await corridor.anyone('GET', `/api/orders/${id}`)).status).toBe(404);
});

describe('text that people read', () => {
  test.each([
    ['a NUL', 'a\0b'],
    ['an escape sequence', '\x1b[31mred'],
    ['a line break', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['a right-to-left override', 'a\u202eb'],
    ['a directional isolate', 'a\u2066b\u2069'],
    ['a byte order mark', 'a\ufeffb'],
    ['a zero-width space', 'a\u200bb'],
    ['a soft hyphen', 'a\u00adb'],
    ['half a surrogate pair', 'a\ud800b'],
    ['a tag character', 'a\u{e0041}b'],
    ['only spaces', '\u00a0\u3000'],
    ['only joiners', '\u200d\u200d'],
    ['too many characters', 'a'.repeat(5_000)],
  ])('cannot contain %s', async (_, text) => {
    const order = await agent.newOrder();
    await expectStatus(200, lp.claim(order));
    const statuses = await Promise.all([
      agent.pay({ recipient: text }),
      agent.pay({ recipient_name: text }),
      agent.pay({ method: text }),
      agent.pay({ rate_lock_id: text }),
      register({ ...LP, display_name: text }),
      register({ ...LP, mpesa_phone: text }),
      register({ ...LP, xrpl_address: text }),
      corridor.admin('POST', '/api/admin/agent-keys', { name: text }),
      corridor.admin('POST', '/api/admin/agent-keys', { integrator_name: text }),
      corridor.admin('POST', '/api/admin/users', { name: text }),
      agent.call('POST', `/api/v1/dispute/${order}`, { reason: text }),
      lp.call('POST', `/api/orders/${order}/release`, { reason: text }),
      corridor.admin('POST', `/api/admin/lps/${lp.id}/forgive`, { reason: text }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual(statuses.map(() => 400));
    await expectStatus(200, lp.release(order));
  });

  test.each([
    'نور الهدى',
    'हिन्दी क्‍ष',
    'Zoë Ñandú',
    '山田太郎',
    '👩‍👩‍👧',
    "O'Brien; drop table orders --",
    '<b>a</b>',
  ])('may be %s, and is returned unchanged', async (name) => {
    const { body } = await agent.pay({ recipient_name: name });
    expect(body.fiat_delivery.recipient_name).toBe(name);
  });
});

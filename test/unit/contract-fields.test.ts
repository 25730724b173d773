import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { idempotencyKey } from '../../src/api/pipeline/idempotency-key.ts';
import { payRequest, settleRequest } from '../../src/api/resources/payments/schemas.ts';
import { faults } from './faults.ts';

const pay = payRequest({ allowHttp: false });
const PAYMENT = { amount: 1295, currency: 'KES', recipient: '+254700123456', user_id: 5 };

describe('a payment request', () => {
  test('requires only an amount, a currency, a recipient and a user', () => {
    expect(pay.parse(PAYMENT)).toEqual({
      amount: '1295',
      currency: 'KES',
      recipient: '+254700123456',
      user_id: 5,
      crypto_symbol: 'usdt',
      crypto_chain: 'trx',
    });
    expect(faults(pay, {}).sort()).toEqual(['amount', 'currency', 'recipient', 'user_id']);
  });

  test('may spell currency, token and chain in any case, with blanks around them', () => {
    const body = { ...PAYMENT, currency: ' kEs ', crypto_symbol: 'USDC', crypto_chain: ' Polygon' };
    const spelled = { currency: 'KES', crypto_symbol: 'usdc', crypto_chain: 'polygon' };
    expect(pay.parse(body)).toMatchObject(spelled);
  });

  test.each<[string, unknown[]]>([
    ['currency', ['KE', 'KESX', 'K€S', '', 404]],
    ['crypto_symbol', ['u', 'us dt', 'x'.repeat(17)]],
    ['crypto_chain', ['bitcoin', '', '__proto__']],
    ['user_id', [0, -1, 1.5, '5', JSON.parse('9007199254740993'), null]],
    ['recipient', ['', '   ', 'x'.repeat(129), 254700123456]],
    ['method', ['', 'x'.repeat(33)]],
  ])('is refused for its %s', (field, values) => {
    for (const value of values) expect(faults(pay, { ...PAYMENT, [field]: value })).toEqual([field]);
  });

  test.each([
    ['a line break', 'Jane\nApproved by: admin'],
    ['a NUL', 'Jane\u0000'],
    ['an escape sequence', 'Jane\u001b[2J'],
    ['a C1 control character', 'Jane\u0085Doe'],
    ['text turned right to left', 'Jane\u202eeoD'],
    ['an isolated direction', 'Jane\u2066Doe\u2069'],
    ['half a surrogate pair', 'Jane\ud800'],
  ])('is refused for a name with %s', (_, name) => {
    expect(faults(pay, { ...PAYMENT, recipient_name: name })).toEqual(['recipient_name']);
    expect(faults(pay, { ...PAYMENT, recipient: name })).toEqual(['recipient']);
  });

  test.each(['Jane O’Neill-Wanjikũ', 'محمد علي', '王小明', 'D. J. 🎉', `${'x'.repeat(200)}`])(
    'may be for %s',
    (name) => {
      expect(pay.parse({ ...PAYMENT, recipient_name: `  ${name} ` }).recipient_name).toBe(name);
    },
  );
});

describe('a callback', () => {
  const callback = (schema: z.ZodType, callback_url: string) => faults(schema, { ...PAYMENT, callback_url });

  test('goes over https, and over http only where that is allowed', () => {
    const lenient = payRequest({ allowHttp: true });
    expect(callback(pay, 'https://agent.example/hook?order=1')).toEqual([]);
    expect(callback(pay, 'http://agent.example/hook')).toEqual(['callback_url']);
    expect(callback(lenient, 'http://127.0.0.1:9000/hook')).toEqual([]);
  });

  test.each([
    'javascript:alert(1)',
    'JavaScript://agent.example/%0aalert(1)',
    'file:///etc/passwd',
    'ftp://agent.example',
    'data:text/html,x',
    '//agent.example',
    'agent.example/hook',
    'https://',
    '',
    `https://agent.example/${'x'.repeat(2_048)}`,
  ])('does not go to %p', (url) => {
    expect(callback(pay, url)).toEqual(['callback_url']);
    expect(callback(payRequest({ allowHttp: true }), url)).toEqual(['callback_url']);
  });
});

describe('a hash or key', () => {
  test.each(['0xAbCd', 'deadbeef', 'A'.repeat(128)])('settles as %p', (tx_hash) => {
    expect(settleRequest.parse({ tx_hash: ` ${tx_hash}\n` })).toEqual({ tx_hash });
  });

  test.each(['', 'abc', 'a'.repeat(129), '../orders/1', "abcd' or 1=1", 'abcd\u0000', 'ābcd', 1234])(
    'does not settle as %p',
    (tx_hash) => {
      expect(faults(settleRequest, { tx_hash })).toEqual(['tx_hash']);
    },
  );

  test('of an idempotent request has 1 to 255 printable characters', () => {
    const taken = ['k', 'x'.repeat(255), '{order:1}'].map((key) => idempotencyKey.safeParse(key).success);
    const refused = ['', 'x'.repeat(256), 'a b', 'a\n', 'é'].map(
      (key) => idempotencyKey.safeParse(key).success,
    );
    expect([taken, refused]).toEqual([Array(3).fill(true), Array(5).fill(false)]);
  });
});

describe('a body that tries to reach into JavaScript objects', () => {
  test('changes no other object, and its own result has only the fields of the contract', () => {
    const body = JSON.parse(
      `{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}},
        "amount": 1, "currency": "KES", "recipient": "x", "user_id": 5, "status": "completed"}`,
    );
    const parsed = pay.parse(body);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect('polluted' in parsed).toBe(false);
    expect(Object.keys(parsed).sort()).toEqual(Object.keys(pay.parse(PAYMENT)).sort());
  });
});

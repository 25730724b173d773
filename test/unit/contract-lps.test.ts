import { describe, expect, test } from '@jest/globals';
import { depositRequest } from '../../src/api/resources/collateral-deposits/schemas.ts';
import { assetRequest, rateRequest } from '../../src/api/resources/lp-terms/schemas.ts';
import { registerRequest } from '../../src/api/resources/lps/schemas.ts';
import { sandboxTransactionRequest } from '../../src/api/resources/sandbox/schemas.ts';
import { faults } from './faults.ts';

const LP = { xrpl_address: 'rLiquidity', mpesa_phone: '+254711000001' };

describe('an LP', () => {
  test('registers with an address and a phone, and has no rates and no spread by default', () => {
    expect(registerRequest.parse(LP)).toEqual({ ...LP, supported_currencies: {}, spread_bps: 0 });
  });

  test('may name its currencies in any case', () => {
    const { supported_currencies } = registerRequest.parse({
      ...LP,
      supported_currencies: { kes: 129.5, Ugx: 3700 },
    });
    expect(supported_currencies).toEqual({ KES: '129.5', UGX: '3700' });
  });

  const rates = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`A${String.fromCharCode(65 + (i % 26), 65 + i / 26)}`, 1]),
    );
  test('registers with at most fifty rates', () => {
    expect(registerRequest.safeParse({ ...LP, supported_currencies: rates(50) }).success).toBe(true);
    expect(faults(registerRequest, { ...LP, supported_currencies: rates(51) })).toEqual([
      'supported_currencies',
    ]);
  });

  test.each<[string, unknown[]]>([
    ['supported_currencies', [{ kesx: 1 }, { kes: 0 }, { kes: '1' }, { constructor: 1 }, 'KES']],
    ['spread_bps', [-1, 10_001, 0.5, '50']],
    ['xrpl_address', ['', 'r with blanks', 'r\u0000', 'é', 'x'.repeat(129)]],
    ['mpesa_phone', ['', '+254\n711', '1'.repeat(33)]],
  ])('is refused for its %s', (field, values) => {
    for (const value of values) expect(faults(registerRequest, { ...LP, [field]: value })).toEqual([field]);
  });

  test('deposits dollars, in usdt on trx by default', () => {
    expect(depositRequest.parse({ amount: 100 })).toEqual({ amount: '100', asset: 'usdt', chain: 'trx' });
    expect(depositRequest.parse({ amount: 1, asset: ' USDC ', chain: 'BASE' })).toMatchObject({
      asset: 'usdc',
      chain: 'base',
    });
    expect(faults(depositRequest, { amount: 1, asset: 'xrp' })).toEqual(['asset']);
  });

  test('publishes a rate for a currency in any case', () => {
    expect(rateRequest.parse({ currency: 'ugx', rate_usd: 3700.25 })).toEqual({
      currency: 'UGX',
      rate_usd: '3700.25',
    });
    expect(faults(rateRequest, { currency: 'KE$', rate_usd: 1 })).toEqual(['currency']);
  });

  test('receives a token at one address without blanks', () => {
    expect(assetRequest.parse({ symbol: 'USDT', chain: 'TRX', address: ' T1 ' })).toEqual({
      symbol: 'usdt',
      chain: 'trx',
      address: 'T1',
    });
  });

  test('gets no currency named __proto__', () => {
    const supported_currencies = JSON.parse('{"__proto__": {"KES": 1}, "UGX": 3700}');
    const parsed = registerRequest.safeParse({ ...LP, supported_currencies });
    // It may be refused or left out, but must not be accepted.
    const rates = parsed.data?.supported_currencies ?? {};
    expect(rates.KES).toBeUndefined();
    expect(({} as Record<string, unknown>).KES).toBeUndefined();
  });
});

describe('a transaction on the simulated chain', () => {
  const TRANSACTION = { chain: 'TRX', symbol: 'USDT', to: 'T1', amount: 10.05 };

  test('is final immediately by default', () => {
    expect(sandboxTransactionRequest.parse(TRANSACTION)).toEqual({
      chain: 'trx',
      symbol: 'usdt',
      to: 'T1',
      amount: '10.05',
      final_after_ms: 0,
    });
  });

  test.each([-1, 0.5, 86_400_001, '5'])('cannot become final after %p milliseconds', (final_after_ms) => {
    expect(faults(sandboxTransactionRequest, { ...TRANSACTION, final_after_ms })).toEqual(['final_after_ms']);
  });
});

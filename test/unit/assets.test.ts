import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  CHAINS,
  DEFAULT_CHAIN,
  DEFAULT_SYMBOL,
  isChain,
  normaliseTxHash,
  STABLECOINS,
} from '../../src/domain/assets.ts';

describe('chains and tokens', () => {
  test('are those of the contract', () => {
    expect(CHAINS).toEqual(['trx', 'eth', 'polygon', 'base', 'xrpl']);
    expect(STABLECOINS).toEqual(['usdt', 'usdc']);
  });

  test('the default is usdt on trx', () => {
    expect([DEFAULT_SYMBOL, DEFAULT_CHAIN]).toEqual(['usdt', 'trx']);
  });

  test.each(['trx', 'eth', 'polygon', 'base', 'xrpl'])('%s is a chain', (name) => {
    expect(isChain(name)).toBe(true);
  });

  test.each(['', 'TRX', ' trx', 'btc', '0', 'length', '__proto__', 'constructor'])(
    '%p is not a chain',
    (name) => {
      expect(isChain(name)).toBe(false);
    },
  );
});

describe('the spelling of a transaction hash', () => {
  const hash = fc.stringMatching(/^[0-9a-f]{4,64}$/);

  test.each(['0xABCD12', 'abcd12', 'ABCD12', '0Xabcd12', '  0xAbCd12\n'])(
    '%p is the transaction abcd12',
    (given) => {
      expect(normaliseTxHash(given)).toBe('abcd12');
    },
  );

  test('keeps a 0x that is not at the beginning', () => {
    expect(normaliseTxHash('ab0xcd')).toBe('ab0xcd');
  });

  test('maps every spelling of a hash to one transaction', () => {
    const prefix = fc.constantFrom('', '0x', '0X', ' ', ' 0x');
    fc.assert(
      fc.property(hash, prefix, fc.infiniteStream(fc.boolean()), (plain, before, upper) => {
        const given = before + [...plain].map((c) => (upper.next().value ? c.toUpperCase() : c)).join('');
        expect(normaliseTxHash(given)).toBe(plain);
      }),
    );
  });

  test('keeps different transactions apart', () => {
    fc.assert(
      fc.property(hash, hash, (a, b) => {
        expect(normaliseTxHash(`0x${a}`) === normaliseTxHash(b.toUpperCase())).toBe(a === b);
      }),
    );
  });
});

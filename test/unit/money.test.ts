import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { basisPoints, decimal, decimalPlaces, roundUp, SCALE, toPlain } from '../../src/domain/money.ts';
import { plain, units } from './exact.ts';

/** Amounts up to a trillion with six digits after the point, as decimal strings. */
const amountText = fc.bigInt({ min: 0n, max: 10n ** 18n }).map((n) => plain(n, 6));

describe('amounts', () => {
  test('add up exactly, unlike numbers in JavaScript', () => {
    expect(decimal('0.1').plus('0.2').toFixed()).toBe('0.3');
    expect(decimal('999999999999.99').plus('0.01').toFixed()).toBe('1000000000000');
  });

  test('keep every digit of a JSON number', () => {
    expect(decimal(0.1 + 0.2).toFixed()).toBe('0.30000000000000004');
    expect(decimal(1e-7).toFixed()).toBe('0.0000001');
    expect(decimal(129.5).toFixed()).toBe('129.5');
  });

  test('multiply without loss, however long they are', () => {
    fc.assert(
      fc.property(amountText, amountText, amountText, (a, b, c) => {
        const product = units(a, 6) * units(b, 6) * units(c, 6);
        expect(units(toPlain(decimal(a).mul(b).mul(c), 18), 18)).toBe(product);
      }),
    );
  });

  test('become plain strings with a fixed number of digits, never 1e+21 or 1e-7', () => {
    expect(toPlain(decimal('1e21'), SCALE.fiat)).toBe('1000000000000000000000.00');
    expect(toPlain(decimal('0.0000001'), SCALE.rate)).toBe('0.00000010');
    expect(toPlain(decimal('5'), 0)).toBe('5');
  });

  test('are unchanged after a round trip', () => {
    fc.assert(
      fc.property(amountText, (text) => {
        expect(toPlain(decimal(text), SCALE.usd)).toBe(text);
      }),
    );
  });

  test.each(['', 'ten', '1,5', '0x', '1.2.3'])('are not made from %p', (text) => {
    expect(() => decimal(text)).toThrow();
  });
});

describe('rounding up', () => {
  test.each([
    ['1.000000000001', 6, '1.000001'],
    ['1.21', 2, '1.21'],
    ['1.2100', 2, '1.21'],
    ['0.001', 2, '0.01'],
    ['2.5', 0, '3'],
    ['0', 2, '0'],
    ['-1.239', 2, '-1.23'],
  ])('turns %s to %d digits into %s', (value, places, rounded) => {
    expect(roundUp(decimal(value), places).toFixed()).toBe(rounded);
  });

  test('never takes anything away, and adds less than one unit of the last digit', () => {
    fc.assert(
      fc.property(amountText, fc.integer({ min: 0, max: 6 }), (text, places) => {
        const before = units(text, 6);
        const rounded = units(toPlain(roundUp(decimal(text), places), places), places);
        const unit = 10n ** BigInt(6 - places);
        expect(rounded * unit >= before).toBe(true);
        expect((rounded - 1n) * unit < before).toBe(true);
      }),
    );
  });
});

describe('the digits after the point of a JSON number', () => {
  test.each([
    [5, 0],
    [129.5, 1],
    [0.07, 2],
    [1e-7, 7],
    [1.5e-7, 8],
    [1e21, 0],
    [0.1 + 0.2, 17],
  ])('of %d are %d', (value, places) => {
    expect(decimalPlaces(value)).toBe(places);
  });
});

describe('basis points', () => {
  test.each([
    ['1', 1, '0.0001'],
    ['200', 50, '1'],
    ['999999999999.999999', 10_000, '999999999999.999999'],
    ['999999999999.999999', 1, '99999999.9999999999'],
    ['33.33', 0, '0'],
  ])('%s × %d is exactly %s', (amount, bps, part) => {
    expect(basisPoints(decimal(amount), bps).toFixed()).toBe(part);
  });
});

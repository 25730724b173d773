import { expect, test } from '@jest/globals';
import { ANY_METHOD, corridorName } from '../../src/domain/delivery.ts';

test('a corridor is named with its method, and a currency without a corridor by itself', () => {
  expect(corridorName('KES', 'paybill')).toBe('KES by paybill');
  expect(corridorName('XAF', ANY_METHOD)).toBe('XAF');
});

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isAddress } from 'viem';
import { IS_ADDRESS, isBurnAddress, isSameAddress } from '../../src/adapters/addresses.ts';

const hexDigit = fc.constantFrom(...'0123456789abcdefABCDEF');

test('an EVM address in mixed case needs its checksum, as viem says', () => {
  // At most twelve letters, so that a random checksum is valid often enough to be tested.
  const address = fc
    .tuple(fc.array(hexDigit, { minLength: 8, maxLength: 8 }), fc.nat(9))
    .map(([digits, filler]) => `0x${digits.join('')}${String(filler).repeat(32)}`);
  let right = 0;
  fc.assert(
    fc.property(address, (text) => {
      const isLower = text === text.toLowerCase();
      expect(IS_ADDRESS.eth(text)).toBe(isAddress(text, { strict: !isLower }));
      if (!isLower && IS_ADDRESS.eth(text)) right += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(right).toBeGreaterThan(0);
});

test.each([
  ['eth', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', true],
  ['eth', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', true],
  ['eth', '0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266', false],
  ['eth', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb9226', false],
  ['eth', 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266', false],
  ['trx', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', true],
  ['trx', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T', false],
  ['xrpl', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', true],
  ['xrpl', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTH', false],
] as const)('%s: %s is an address: %s', (chain, text, is) => {
  expect(IS_ADDRESS[chain](text)).toBe(is);
});

describe('a burn address', () => {
  const zeros = (end: string) => `0x${end.padStart(40, '0')}`;
  test.each([
    ['eth', zeros('0')],
    ['polygon', zeros('1')],
    ['base', zeros('dead')],
    ['base', '0x000000000000000000000000000000000000dEaD'],
    ['eth', '0x000000000000000000000000000000000000DEAD'],
    ['eth', `0X${zeros('dead').slice(2).toUpperCase()}`],
    ['eth', '0x0'],
    ['eth', '0xdEaD'],
    ['eth', `0x${'f'.repeat(40)}`],
    ['eth', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'],
    ['eth', '0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0000'.replace(/0000$/, 'DEaD')],
    ['polygon', '0xdEAD000000000000000042069420694206942069'],
    ['trx', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
    ['trx', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
    ['xrpl', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
    ['xrpl', 'rrrrrrrrrrrrrrrrrrrrBZbvji'],
    ['xrpl', 'rrrrrrrrrrrrrrrrrNAMEtxvNvQ'],
    ['xrpl', 'rrrrrrrrrrrrrrrrrrrn5RM1rHd'],
  ] as const)('on %s is %s', (chain, address) => {
    expect(isBurnAddress(chain, address)).toBe(true);
  });

  test.each([
    ['eth', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    ['eth', `0x${'0'.repeat(35)}12345`],
    ['trx', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['trx', 'TMyReceiveAddress'],
    ['xrpl', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'],
  ] as const)('on %s is not %s', (chain, address) => {
    expect(isBurnAddress(chain, address)).toBe(false);
  });

  test('of Tron is every address whose 20 bytes burn on an EVM chain', () => {
    for (const end of ['0', '1', 'dead']) {
      expect(isBurnAddress('trx', tronAddress(end.padStart(40, '0')))).toBe(true);
    }
  });
});

test('EVM addresses are equal in any letter case, and addresses of other chains are not', () => {
  const mixed = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  expect(isSameAddress('eth', mixed, mixed.toLowerCase())).toBe(true);
  expect(isSameAddress('eth', mixed, mixed.replace('0x', '0X'))).toBe(true);
  expect(isSameAddress('trx', 'TAbc', 'Tabc')).toBe(false);
  expect(isSameAddress('xrpl', 'rAbc', 'rabc')).toBe(false);
});

/** The Tron address of 20 bytes, in hexadecimal. */
function tronAddress(bytes: string): string {
  const sha256 = (data: Buffer) => createHash('sha256').update(data).digest();
  const body = Buffer.from(`41${bytes}`, 'hex');
  const whole = Buffer.concat([body, sha256(sha256(body)).subarray(0, 4)]);
  let [number, text] = [BigInt(`0x${whole.toString('hex')}`), ''];
  for (; number > 0n; number /= 58n) {
    text = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'[Number(number % 58n)] + text;
  }
  return text;
}

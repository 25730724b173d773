import { expect, test } from '@jest/globals';
import { createEvmVerifier } from '../../src/adapters/chain-evm.ts';
import { createTronVerifier } from '../../src/adapters/chain-tron.ts';
import { createXrplVerifier } from '../../src/adapters/chain-xrpl.ts';
import type { Chains } from '../../src/adapters/ports.ts';
import type { Chain } from '../../src/domain/assets.ts';
import { requireAddress } from '../../src/market/pricing/accepted-tokens.ts';

const CONTRACT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const PLATFORM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const COLD = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const TRC20 = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TRON_PLATFORM = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const TRON_COLD = 'TTYPebjFUT7iZc8g1YF3u1XBsw8UzT6fq7';
const ISSUER = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
const XRPL_PLATFORM = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';

const XRPL_COLD = 'rJ2BeYMXK5zmQSnsRGbL4iqsy9Pw8YVeow';

const nowhere = 'http://127.0.0.1:9';
const usdt = (contract: string) => ({ usdt: { contract, decimals: 6 } });
const chains: Chains = new Map([
  [
    'eth',
    createEvmVerifier('eth', {
      rpcUrl: nowhere,
      chainId: 1,
      confirmations: null,
      tokens: usdt(CONTRACT),
      depositAddress: PLATFORM,
      reserveAddresses: [COLD],
    }),
  ],
  [
    'trx',
    createTronVerifier({
      rpcUrl: nowhere,
      apiKey: null,
      tokens: usdt(TRC20),
      depositAddress: TRON_PLATFORM,
      reserveAddresses: [TRON_COLD],
    }),
  ],
  [
    'xrpl',
    createXrplVerifier({
      rpcUrl: 'ws://127.0.0.1:9',
      networkId: 0,
      tokens: { usdt: { issuer: ISSUER, currency: 'USD' } },
      depositAddress: XRPL_PLATFORM,
      reserveAddresses: [XRPL_COLD],
    }),
  ],
]);

/** Why the address is refused. Null: it is accepted. */
function refusal(chain: Chain, address: string): string | null {
  try {
    requireAddress(chains, 'usdt', { chain, address });
    return null;
  } catch (error) {
    const { details } = error as { details?: { fieldErrors: { address?: string[] } } };
    return details?.fieldErrors.address?.[0] ?? String(error);
  }
}

const MALFORMED = /must be an address of/;
const BURN = /zero or burn address/;
const TOKEN = /contract or issuer of a token/;
const PLATFORMS = /platform’s deposit address/;
const RESERVES = /address of the platform’s reserves/;

test.each([
  ['eth', PLATFORM.replace('f39F', 'F39f'), MALFORMED],
  ['eth', PLATFORM.replace('0x', '0X'), MALFORMED],
  ['eth', '0x0', MALFORMED],
  ['eth', `0x${'0'.repeat(40)}`, BURN],
  ['eth', '0x000000000000000000000000000000000000dEaD', BURN],
  ['eth', CONTRACT, TOKEN],
  ['eth', CONTRACT.toLowerCase(), TOKEN],
  ['eth', PLATFORM, PLATFORMS],
  ['eth', PLATFORM.toLowerCase(), PLATFORMS],
  ['eth', COLD, RESERVES],
  ['eth', COLD.toLowerCase(), RESERVES],
  ['trx', TRC20.toLowerCase(), MALFORMED],
  ['trx', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c', MALFORMED],
  ['trx', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', BURN],
  ['trx', TRC20, TOKEN],
  ['trx', TRON_PLATFORM, PLATFORMS],
  ['trx', TRON_COLD, RESERVES],
  ['xrpl', ISSUER.toLowerCase(), MALFORMED],
  ['xrpl', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp', BURN],
  ['xrpl', 'rrrrrrrrrrrrrrrrrrrrBZbvji', BURN],
  ['xrpl', ISSUER, TOKEN],
  ['xrpl', XRPL_PLATFORM, PLATFORMS],
  ['xrpl', XRPL_COLD, RESERVES],
] as const)('on %s no LP receives at %s', (chain, address, reason) => {
  expect(refusal(chain, address)).toMatch(reason);
});

test.each([
  ['eth', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  ['eth', '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'],
  ['trx', 'TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9'],
  ['xrpl', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'],
] as const)('on %s an LP receives at %s', (chain, address) => {
  expect(refusal(chain, address)).toBeNull();
});

import { describe, expect, test } from '@jest/globals';
import { classicAddressToXAddress } from 'ripple-address-codec';
import { loadConfig } from '../../src/settings/config.ts';

const CONTRACT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const TRC20 = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const ISSUER = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
const URL_WITH_KEY = 'https://node.example/v3/key-of-the-node';

function refusal(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the settings were accepted');
}

describe('a chain', () => {
  test('of the EVM has a node, tokens, and a rule for when a transaction is final', () => {
    const { chains } = loadConfig({
      CHAIN_ETH_RPC_URL: `${URL_WITH_KEY}/`,
      CHAIN_ETH_TOKENS: ` USDT:${CONTRACT}:6 , usdc:${CONTRACT.toLowerCase()}:6,`,
      CHAIN_ETH_DEPOSIT_ADDRESS: CONTRACT,
      CHAIN_POLYGON_RPC_URL: 'http://127.0.0.1:8545',
      CHAIN_POLYGON_ID: '31337',
      CHAIN_POLYGON_CONFIRMATIONS: '128',
      CHAIN_BASE_RPC_URL: 'http://127.0.0.1:8546',
    });
    expect(chains).toEqual({
      eth: {
        rpcUrl: URL_WITH_KEY,
        chainId: 1,
        tokens: {
          usdt: { contract: CONTRACT, decimals: 6 },
          usdc: { contract: CONTRACT.toLowerCase(), decimals: 6 },
        },
        confirmations: null,
        depositAddress: CONTRACT,
        reserveAddresses: [],
      },
      polygon: {
        rpcUrl: 'http://127.0.0.1:8545',
        chainId: 31_337,
        tokens: {},
        confirmations: 128,
        depositAddress: null,
        reserveAddresses: [],
      },
      base: {
        rpcUrl: 'http://127.0.0.1:8546',
        chainId: 8_453,
        tokens: {},
        confirmations: null,
        depositAddress: null,
        reserveAddresses: [],
      },
    });
  });

  test('can have more addresses that hold collateral', () => {
    const given = `${CONTRACT} , ${CONTRACT.toLowerCase()},`;
    const { chains } = loadConfig({ CHAIN_ETH_RPC_URL: URL_WITH_KEY, CHAIN_ETH_RESERVE_ADDRESSES: given });
    expect(chains.eth?.reserveAddresses).toEqual([CONTRACT, CONTRACT.toLowerCase()]);
  });

  test('Tron can have a key for its node', () => {
    const { chains } = loadConfig({
      CHAIN_TRX_RPC_URL: 'https://tron.example',
      CHAIN_TRX_API_KEY: 'key',
      CHAIN_TRX_TOKENS: `usdt:${TRC20}:6`,
      CHAIN_TRX_DEPOSIT_ADDRESS: TRC20,
    });
    expect(chains.trx).toEqual({
      rpcUrl: 'https://tron.example',
      apiKey: 'key',
      tokens: { usdt: { contract: TRC20, decimals: 6 } },
      depositAddress: TRC20,
      reserveAddresses: [],
    });
  });

  test.each([
    ['USD', 'USD'],
    ['USDT', '5553445400000000000000000000000000000000'],
    ['5553444300000000000000000000000000000000', '5553444300000000000000000000000000000000'],
    ['524c555344000000000000000000000000000000', '524C555344000000000000000000000000000000'],
  ])('the XRP Ledger has tokens by issuer and currency code: %s becomes %s', (given, currency) => {
    const { chains } = loadConfig({
      CHAIN_XRPL_RPC_URL: 'wss://xrpl.example',
      CHAIN_XRPL_TOKENS: `usdt:${ISSUER}:${given}`,
    });
    expect(chains.xrpl).toEqual({
      rpcUrl: 'wss://xrpl.example',
      networkId: 0,
      tokens: { usdt: { issuer: ISSUER, currency } },
      depositAddress: null,
      reserveAddresses: [],
    });
  });

  test('the XRP Ledger’s deposit address may contain a destination tag, of the network', () => {
    const main = classicAddressToXAddress(ISSUER, 7, false);
    const xrpl = { CHAIN_XRPL_RPC_URL: 'wss://xrpl.example', CHAIN_XRPL_DEPOSIT_ADDRESS: main };
    expect(loadConfig(xrpl).chains.xrpl).toMatchObject({ depositAddress: main });
    const reason = /CHAIN_XRPL_DEPOSIT_ADDRESS.*must not be an X-address of another network/;
    expect(refusal({ ...xrpl, CHAIN_XRPL_ID: '1' })).toMatch(reason);
    const test = classicAddressToXAddress(ISSUER, 7, true);
    expect(refusal({ ...xrpl, CHAIN_XRPL_DEPOSIT_ADDRESS: test })).toMatch(reason);
    const other = { CHAIN_ETH_RPC_URL: URL_WITH_KEY, CHAIN_ETH_DEPOSIT_ADDRESS: main };
    expect(refusal(other)).toMatch(/CHAIN_ETH_DEPOSIT_ADDRESS.*must be an address of eth/);
  });

  test('that is configured lets Corridor start without a sandbox', () => {
    const config = loadConfig({ SANDBOX: 'false', CHAIN_BASE_RPC_URL: URL_WITH_KEY });
    expect(config.sandbox).toBe(false);
    expect(refusal({ SANDBOX: 'false' })).toMatch(/No chain is configured: .*SANDBOX=true/);
  });
});

describe('an invalid setting of a chain', () => {
  const ETH = { CHAIN_ETH_RPC_URL: URL_WITH_KEY };
  const XRPL = { CHAIN_XRPL_RPC_URL: 'wss://xrpl.example/key-of-the-node' };
  test.each<[string, Record<string, string>, RegExp]>([
    [
      'an address that is not http',
      { CHAIN_ETH_RPC_URL: 'wss://x/key-of-the-node' },
      /CHAIN_ETH_RPC_URL must be/,
    ],
    [
      'an address that is not a WebSocket',
      { CHAIN_XRPL_RPC_URL: URL_WITH_KEY },
      /CHAIN_XRPL_RPC_URL must be/,
    ],
    ['no address', { CHAIN_ETH_TOKENS: '', CHAIN_ETH_ID: '5' }, /CHAIN_ETH_ID requires CHAIN_ETH_RPC_URL/],
    [
      'an unknown name',
      { ...ETH, CHAIN_ETH_CONFIRMATION: '1' },
      /CHAIN_ETH_CONFIRMATION is not a setting: did you mean CHAIN_ETH_CONFIRMATIONS\?/,
    ],
    [
      'another chain’s name',
      { ...XRPL, CHAIN_XRPL_CONFIRMATIONS: '1' },
      /CHAIN_XRPL_CONFIRMATIONS is not a setting: did you mean CHAIN_XRPL_RPC_URL,/,
    ],
    [
      'a reserve address of another chain',
      { ...ETH, CHAIN_ETH_RESERVE_ADDRESSES: `${CONTRACT},${TRC20}` },
      /CHAIN_ETH_RESERVE_ADDRESSES must be at most 10 addresses of eth/,
    ],
    [
      'a reserve address with a destination tag',
      { ...XRPL, CHAIN_XRPL_RESERVE_ADDRESSES: classicAddressToXAddress(ISSUER, 7, false) },
      /CHAIN_XRPL_RESERVE_ADDRESSES must be at most 10 addresses of xrpl/,
    ],
    [
      'more reserve addresses than a check can read',
      { ...ETH, CHAIN_ETH_RESERVE_ADDRESSES: Array(11).fill(CONTRACT).join() },
      /CHAIN_ETH_RESERVE_ADDRESSES must be at most 10 addresses of eth/,
    ],
    [
      'no confirmations',
      { ...ETH, CHAIN_ETH_CONFIRMATIONS: '0' },
      /CHAIN_ETH_CONFIRMATIONS must be a whole number/,
    ],
    [
      'a contract of another chain',
      { ...ETH, CHAIN_ETH_TOKENS: `usdt:${TRC20}:6` },
      /CHAIN_ETH_TOKENS must be/,
    ],
    [
      'a wrong checksum',
      { ...ETH, CHAIN_ETH_TOKENS: `usdt:${CONTRACT.replace('dAC', 'DAC')}:6` },
      /ETH_TOKENS/,
    ],
    ['no decimals', { ...ETH, CHAIN_ETH_TOKENS: `usdt:${CONTRACT}` }, /symbol:contract:decimals/],
    ['too many decimals', { ...ETH, CHAIN_ETH_TOKENS: `usdt:${CONTRACT}:37` }, /CHAIN_ETH_TOKENS/],
    ['an extra part', { ...ETH, CHAIN_ETH_TOKENS: `usdt:${CONTRACT}:6:6` }, /CHAIN_ETH_TOKENS/],
    [
      'a token twice',
      { ...ETH, CHAIN_ETH_TOKENS: `usdt:${CONTRACT}:6,USDT:${CONTRACT}:6` },
      /CHAIN_ETH_TOKENS/,
    ],
    ['the coin as a token', { ...ETH, CHAIN_ETH_TOKENS: `eth:${CONTRACT}:18` }, /CHAIN_ETH_TOKENS/],
    [
      'the coin as a currency',
      { ...XRPL, CHAIN_XRPL_TOKENS: `usdt:${ISSUER}:XRP` },
      /symbol:issuer:currency/,
    ],
    ['a code of two letters', { ...XRPL, CHAIN_XRPL_TOKENS: `usdt:${ISSUER}:US` }, /CHAIN_XRPL_TOKENS/],
    [
      'a deposit address of another chain',
      { ...ETH, CHAIN_ETH_DEPOSIT_ADDRESS: ISSUER },
      /must be an address of eth/,
    ],
  ])('such as %s, is reported without its value', (_what, env, message) => {
    const line = refusal(env);
    expect(line).toMatch(message);
    expect(line).not.toContain('key-of-the-node');
  });
});

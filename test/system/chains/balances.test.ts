import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Address, getAddress } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { createEvmVerifier, type EvmSettings } from '../../../src/adapters/chain-evm.ts';
import { createSandboxVerifier } from '../../../src/adapters/chain-sandbox.ts';
import { createTronVerifier } from '../../../src/adapters/chain-tron.ts';
import { createXrplVerifier } from '../../../src/adapters/chain-xrpl.ts';
import type { Database } from '../../../src/db/orm.ts';
import { startTronNode, type TronNode, tronAddress } from '../../support/tron-node.ts';
import { startXrplServer, trustLine, type XrplServer } from '../../support/xrpl-server.ts';

/** The balance of an address in a token, as each chain's node reports it. */

const NOTHING = { depositAddress: null, reserveAddresses: [] };

describe('on an EVM chain', () => {
  let chain: EvmChain;
  let usdc: EvmToken;
  let owner: Address;
  let other: Address;
  beforeAll(async () => {
    chain = await startEvmChain();
    [owner, other] = chain.accounts as [Address, Address];
    usdc = await chain.deployToken('usdc', 18);
    await usdc.mint(owner, '1000');
  });
  afterAll(() => chain?.stop());
  const balance = (address: string, changes: Partial<EvmSettings> = {}, symbol = 'usdc') =>
    createEvmVerifier('base', {
      ...{ rpcUrl: chain.rpcUrl, chainId: chain.chainId, confirmations: null, ...NOTHING },
      tokens: { usdc: { contract: usdc.address, decimals: 18 } },
      ...changes,
    }).balance?.(address, symbol);

  test('a balance is exact, in any spelling of the address, and follows transfers before they are final', async () => {
    await usdc.transfer(owner, other, '0.000000000000000001');
    for (const spelling of [getAddress(owner), owner.toLowerCase()])
      expect(await balance(spelling)).toBe('999.999999999999999999');
    expect(await balance(other)).toBe('0.000000000000000001');
    expect(await balance(`0x${'12'.repeat(20)}`)).toBe('0');
  });

  test.each<[string, () => ReturnType<typeof balance>, RegExp]>([
    ['a node of another network', () => balance(owner, { chainId: 1 }), /its node is of chain 31337, not 1/],
    [
      'a contract with other decimals',
      () => balance(owner, { tokens: { usdc: { contract: usdc.address, decimals: 6 } } }),
      /has 18 decimals, the settings say 6/,
    ],
    [
      'an address without a contract',
      () => balance(owner, { tokens: { usdc: { contract: other, decimals: 18 } } }),
      /base cannot be queried/,
    ],
    ['a token that is not configured', () => balance(owner, {}, 'usdt'), /no contract of usdt is configured/],
    ['no node', () => balance(owner, { rpcUrl: 'http://127.0.0.1:1' }), /base cannot be queried/],
  ])('is not read with %s', async (_what, ask, reason) => {
    await expect((async () => ask())()).rejects.toThrow(reason);
  });
});

describe('on Tron', () => {
  const [TOKEN, OWNER] = [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')] as const;
  let node: TronNode;
  beforeAll(async () => {
    node = await startTronNode(6);
  });
  beforeEach(() => node.server.answer(node.serve));
  afterAll(() => node?.server.close());
  const balance = (address = tronAddress(OWNER)) =>
    createTronVerifier({
      ...{ rpcUrl: node.server.url, apiKey: 'key-of-the-node', ...NOTHING },
      tokens: { usdt: { contract: tronAddress(TOKEN), decimals: 6 } },
    }).balance?.(address, 'usdt');

  test('a balance is read of solidified blocks, with the node’s key', async () => {
    node.balances.set(OWNER, 123_456_789_000_001n);
    expect(await balance()).toBe('123456789.000001');
    expect(await balance(tronAddress('ab'.repeat(20)))).toBe('0');
    const calls = node.server.received.filter(({ body }) => body.function_selector === 'balanceOf(address)');
    expect(calls[0]).toMatchObject({
      path: '/walletsolidity/triggerconstantcontract',
      headers: { 'tron-pro-api-key': 'key-of-the-node' },
      body: { contract_address: tronAddress(TOKEN), parameter: OWNER.padStart(64, '0'), visible: true },
    });
  });

  test.each([
    ['returns no balance', { json: { result: { result: true }, constant_result: [''] } }],
    ['responds without a result', { json: {} }],
    ['refuses', { json: { Error: 'class org.tron.core.exception' } }],
    ['fails', { status: 503, text: '' }],
  ])('a node that %s is unavailable', async (_what, reply) => {
    node.server.answer((request) =>
      request.body.function_selector === 'balanceOf(address)' ? reply : node.serve(request),
    );
    await expect(balance()).rejects.toThrow(/trx cannot be queried/);
  });
});

describe('on the XRP Ledger', () => {
  const [OWNER, ISSUER] = ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'];
  const CURRENCY = '5553445400000000000000000000000000000000';
  let server: XrplServer;
  beforeAll(async () => {
    server = await startXrplServer();
  });
  beforeEach(() => {
    server.fail(undefined);
    server.trustLines.clear();
  });
  afterAll(() => server?.close());
  const balance = (networkId = 0) =>
    createXrplVerifier({
      ...{ rpcUrl: server.url, networkId, ...NOTHING },
      tokens: { usdt: { issuer: ISSUER, currency: CURRENCY } },
    }).balance?.(OWNER, 'usdt');
  const holds = (value: string, low: string) =>
    server.trustLines.set(trustLine([OWNER, ISSUER], CURRENCY), { low, value });

  test('a balance is that of the trust line, from either side of it', async () => {
    holds('1005e-2', OWNER);
    expect(await balance()).toBe('10.05');
    holds('-999999999.123456', ISSUER);
    expect(await balance()).toBe('999999999.123456');
    expect(server.received.at(-1)).toMatchObject({
      command: 'ledger_entry',
      ripple_state: { accounts: [OWNER, ISSUER], currency: CURRENCY },
      ledger_index: 'validated',
    });
  });

  test('a debt of the account to the issuer is not a balance', async () => {
    holds('-5', OWNER);
    expect(await balance()).toBe('0');
    holds('5', ISSUER);
    expect(await balance()).toBe('0');
  });

  test('an account without a trust line has nothing', async () => {
    expect(await balance()).toBe('0');
  });

  test('a server that is busy or of another network is unavailable', async () => {
    holds('10', OWNER);
    server.fail('slowDown');
    await expect(balance()).rejects.toThrow(/xrpl cannot be queried/);
    server.fail(undefined);
    await expect(balance(1)).rejects.toThrow(/its server is on network 0, not 1/);
  });
});

test('a simulated chain has no balances', () => {
  expect(createSandboxVerifier({} as Database, 'trx').balance).toBeNull();
});

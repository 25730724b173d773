import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { createEvmVerifier } from '../../../src/adapters/chain-evm.ts';
import type { ExpectedTransfer } from '../../../src/adapters/ports.ts';
import { type EvmRpcProxy, startEvmRpcProxy } from '../../support/evm-rpc-proxy.ts';

let chain: EvmChain;
let usdt: EvmToken;
let payer: Address;
let recipient: Address;
let stranger: Address;
let rpcProxy: EvmRpcProxy;
/** After 300 blocks, between the two transfers of 7. */
let between: Date;
let later: string;
/** A transfer of 6, before those blocks. */
let earlier: string;

beforeAll(async () => {
  chain = await startEvmChain({ ageMs: 3_600_000 });
  [payer, recipient, stranger] = chain.accounts as [Address, Address, Address];
  usdt = await chain.deployToken('usdt', 6);
  await usdt.mint(payer, '1000000');
  rpcProxy = await startEvmRpcProxy(chain.rpcUrl);
  earlier = await send('6');
  await send('7');
  await chain.client.mine({ blocks: 300, interval: 1 });
  between = new Date(Number((await chain.client.getBlock()).timestamp) * 1_000);
  await chain.client.mine({ blocks: 1, interval: 10 });
  later = await send('7');
});
afterAll(async () => {
  await rpcProxy?.close();
  await chain?.stop();
});
beforeEach(() => {
  rpcProxy.answer({});
  rpcProxy.resetCount();
});

const send = async (amount: string, to = recipient) =>
  (await usdt.transfer(payer, to, amount)).replace('0x', '');
const find = (changes: Partial<ExpectedTransfer> = {}) =>
  createEvmVerifier('eth', {
    rpcUrl: rpcProxy.url,
    chainId: chain.chainId,
    tokens: { usdt: { contract: usdt.address, decimals: 6 } },
    confirmations: null,
    depositAddress: null,
    reserveAddresses: [],
  }).findTransfer({
    ...{ symbol: 'usdt', recipient, destinationTag: null, amount: '10.000042', notBefore: between },
    platformMaySend: false,
    ...changes,
  });
const NOT_FOUND = { kind: 'not_found' };
const notSearchable = (reason: RegExp) => ({
  kind: 'not_searchable',
  reason: expect.stringMatching(reason),
});
/** Makes the node search at most this many blocks at a time. */
const limitBlocks = (most: number, refusal: object) =>
  rpcProxy.answer({
    eth_getLogs: ([{ fromBlock, toBlock }]) =>
      Number(toBlock) - Number(fromBlock) >= most ? refusal : undefined,
  });

describe('a transfer without a hash', () => {
  test('is found by its recipient and its exact amount, before it is final', async () => {
    const hash = await send('10.000042');
    for (const amount of ['10.000041', '10.000043', '10']) await send(amount);
    await send('10.000042', stranger);
    expect(await find()).toEqual({ kind: 'found', txHash: hash });
    expect(await find({ recipient: recipient.toLowerCase() })).toEqual({ kind: 'found', txHash: hash });
    expect(await find({ amount: '10.000044' })).toEqual(NOT_FOUND);
  });

  test('is found although an answer for many blocks is too large to read', async () => {
    let isFirst = true;
    rpcProxy.answer({
      eth_getLogs: () => {
        if (!isFirst) return undefined;
        isFirst = false;
        return { result: 'x'.repeat(11 * 1024 * 1024) };
      },
    });
    expect(await find({ amount: '6', notBefore: new Date(0) })).toEqual({ kind: 'found', txHash: earlier });
    expect(isFirst).toBe(false);
  });

  test('is not found if another contract reports it', async () => {
    const other = await chain.deployToken('usdt', 6);
    await other.mint(payer, '100');
    await other.transfer(payer, recipient, '10.000045');
    expect(await find({ amount: '10.000045' })).toEqual(NOT_FOUND);
  });

  test('is not found if it is older than the announcement, though its range has newer blocks', async () => {
    expect(await find({ amount: '7' })).toEqual({ kind: 'found', txHash: later });
    const { timestamp } = await chain.client.getBlock();
    const notBefore = new Date((Number(timestamp) + 1) * 1_000);
    expect(await find({ amount: '7', notBefore })).toEqual(NOT_FOUND);
  });

  test('of the chain’s own coin needs its hash, and the node gets no request', async () => {
    expect(await find({ symbol: 'eth' })).toEqual(notSearchable(/cannot be searched for transfers of eth$/));
    expect(rpcProxy.count()).toBe(0);
  });
});

describe('a node that limits a search', () => {
  test.each<[string, object]>([
    ['with code -32602', { error: { code: -32602, message: 'range 10000 exceeds limit of 500' } }],
    ['with code -32005', { error: { code: -32005, message: 'query returned more than 10000 results' } }],
    ['with code -32000', { error: { code: -32000, message: 'block range is too large' } }],
    ['with HTTP 400', { status: 400, error: { code: -32600, message: 'up to a 500 block range' } }],
    ['with HTTP 413 and no JSON-RPC', { status: 413 }],
  ])(
    '%s gets requests for half the range, back to the announcement and no further',
    async (_how, refusal) => {
      limitBlocks(200, refusal);
      expect(await find({ amount: '7', notBefore: new Date(0) })).toEqual({ kind: 'found', txHash: later });
      // Only the first transfer of the test is older than the 300 blocks, and needs a second range.
      expect(await find({ amount: '6', notBefore: new Date(0) })).toEqual({ kind: 'found', txHash: earlier });
      rpcProxy.resetCount();
      expect(await find({ amount: '6' })).toEqual(NOT_FOUND);
      // Ranges of 10,000, 5,000, 2,500, 1,250, 625 and 312 blocks are refused. The one of 156 reaches the announcement.
      expect(rpcProxy.count('eth_getLogs')).toBe(7);
    },
  );

  test('gets a fixed number of requests, and the sender must name an older transfer', async () => {
    // Like a chain with ten million blocks since the announcement.
    rpcProxy.answer({
      eth_blockNumber: () => ({ result: '0x989680' }),
      eth_getLogs: () => ({ result: [] }),
      eth_getBlockByNumber: () => ({ result: { number: '0x1', timestamp: '0x6553f100' } }),
    });
    expect(await find({ notBefore: new Date(0) })).toEqual(
      notSearchable(/not among the newest ones, and the search goes no further back$/),
    );
    expect(rpcProxy.count('eth_getLogs')).toBeLessThanOrEqual(20);
    expect(rpcProxy.count()).toBeLessThanOrEqual(2 + 1 + 2 * 20);
  });

  test.each<[string, object]>([
    ['does not have the method', { error: { code: -32601, message: 'at http://x/key-of-the-node' } }],
    ['refuses every range', { error: { code: -32600, message: 'at http://x/key-of-the-node' } }],
    ['does not serve it', { status: 405 }],
  ])('because it %s cannot be searched', async (_why, refusal) => {
    limitBlocks(1, refusal);
    expect(await find()).toEqual(notSearchable(/^the chain’s node cannot be searched for transfers$/));
    expect(rpcProxy.count('eth_getLogs')).toBeLessThanOrEqual(7);
  });
});

describe('a node that fails during a search is an error', () => {
  test.each<[string, object, RegExp]>([
    ['because it is busy', { status: 429 }, /HTTP 429/],
    ['because it refuses the key', { status: 401 }, /HTTP 401/],
    ['because it is broken', { status: 502 }, /HTTP 502/],
  ])('%s, and gets no second request', async (_why, answer, message) => {
    rpcProxy.answer({ eth_getLogs: () => answer });
    await expect(find()).rejects.toThrow(message);
    expect(rpcProxy.count('eth_getLogs')).toBe(1);
  });

  test('because it is of another network', async () => {
    rpcProxy.answer({ eth_chainId: () => ({ result: '0x1' }) });
    await expect(find()).rejects.toThrow('its node is of chain 1, not 31337');
  });
});

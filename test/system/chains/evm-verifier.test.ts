import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Address, parseEther } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { createEvmVerifier, type EvmSettings } from '../../../src/adapters/chain-evm.ts';
import { startEvmRpcProxy } from '../../support/evm-rpc-proxy.ts';
import { type JsonServer, startJsonServer } from '../../support/json-server.ts';
import { shownVerdict } from '../../support/shown-verdict.ts';

let chain: EvmChain;
let usdt: EvmToken;
let payer: Address;
let recipient: Address;
beforeAll(async () => {
  chain = await startEvmChain();
  [payer, recipient] = chain.accounts as [Address, Address];
  usdt = await chain.deployToken('usdt', 6);
  await usdt.mint(payer, '1000000');
});
afterAll(() => chain?.stop());

const settings = (changes: Partial<EvmSettings> = {}): EvmSettings => ({
  rpcUrl: chain.rpcUrl,
  chainId: chain.chainId,
  tokens: { usdt: { contract: usdt.address, decimals: 6 } },
  confirmations: null,
  depositAddress: null,
  reserveAddresses: [],
  ...changes,
});

const verify = async (
  changes: Partial<EvmSettings>,
  hash: string,
  payment: { symbol?: string; amount?: string } = {},
) =>
  shownVerdict(
    await createEvmVerifier('eth', settings(changes)).verify({
      txHash: hash.replace('0x', ''),
      recipient,
      symbol: 'usdt',
      amount: '10',
      notBefore: new Date(0),
      dueBy: null,
      destinationTag: null,
      platformMaySend: false,
      ...payment,
    }),
  );

describe('finality', () => {
  test('by confirmations counts the transaction’s own block', async () => {
    const hash = await usdt.transfer(payer, recipient, '10');
    expect(await verify({ confirmations: 1 }, hash)).toEqual({ kind: 'verified', paid: '10', note: null });
    expect(await verify({ confirmations: 3 }, hash)).toMatchObject({ kind: 'pending' });
    await chain.client.mine({ blocks: 1 });
    expect(await verify({ confirmations: 3 }, hash)).toMatchObject({ kind: 'pending' });
    await chain.client.mine({ blocks: 1 });
    expect(await verify({ confirmations: 3 }, hash)).toMatchObject({ kind: 'verified' });
  });

  test('by the node’s finalized block', async () => {
    const hash = await usdt.transfer(payer, recipient, '10');
    expect(await verify({}, hash)).toMatchObject({ kind: 'pending' });
    await chain.finalise();
    expect(await verify({}, hash)).toMatchObject({ kind: 'verified' });
  });

  test('of a transaction whose status is neither success nor failure is not decided', async () => {
    const hash = await usdt.transfer(payer, recipient, '10');
    const proxy = await startEvmRpcProxy(chain.rpcUrl);
    try {
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] };
      const headers = { 'content-type': 'application/json' };
      const sent = await fetch(chain.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
      const { result: receipt } = (await sent.json()) as { result: object };
      const verifyAs = (status: string | undefined) => {
        proxy.answer({ eth_getTransactionReceipt: () => ({ result: { ...receipt, status } }) });
        return verify({ confirmations: 1, rpcUrl: proxy.url }, hash);
      };
      expect(await verifyAs('0x1')).toMatchObject({ kind: 'verified' });
      expect(await verifyAs('0x0')).toMatchObject({
        kind: 'invalid',
        reason: 'The transaction was reverted',
      });
      for (const unknown of [undefined, '0x2', '0x01'])
        await expect(verifyAs(unknown)).rejects.toThrow('the receipt has no known status');
    } finally {
      await proxy.close();
    }
  });

  test('does not report a reverted transaction before it is final', async () => {
    const snapshot = await chain.client.snapshot();
    const hash = await usdt.transfer(payer, recipient, '10');
    await chain.client.revert({ id: snapshot });
    expect(await verify({ confirmations: 1 }, hash)).toEqual({ kind: 'not_found' });
  });
});

describe('the chain’s own coin', () => {
  test('is verified by the value of the transaction', async () => {
    const pays = (value: bigint) =>
      chain.mined(chain.client.sendTransaction({ account: payer, to: recipient, value, chain: null }));
    const exact = await pays(parseEther('0.004'));
    const wei = await pays(parseEther('0.004000000000000001'));
    const little = await pays(parseEther('0.003999'));
    const nothing = await pays(0n);
    await chain.finalise();
    const coin = { symbol: 'eth', amount: '0.004000000000' };
    expect(await verify({}, exact, coin)).toEqual({ kind: 'verified', paid: '0.004', note: null });
    expect(await verify({}, wei, coin)).toEqual({
      kind: 'invalid',
      reason:
        'The transaction pays 0.004000000000000001 eth, not exactly 0.004: 0.000000000000000001 more than is asked for',
    });
    expect(await verify({}, little, coin)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(/pays 0.003999 eth, not exactly 0.004: 0.000001 less/),
    });
    expect(await verify({}, nothing, coin)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(/pays no eth/),
    });
    expect(await verify({}, await usdt.transfer(payer, recipient, '10'), coin)).toMatchObject({
      kind: 'pending',
    });
  });
});

test('a transfer from the recipient to itself pays nothing', async () => {
  await usdt.mint(recipient, '50');
  const hash = await usdt.transfer(recipient, recipient, '10');
  await chain.finalise();
  expect(await verify({}, hash)).toMatchObject({
    kind: 'invalid',
    reason: expect.stringMatching(/pays no usdt/),
  });
});

test('a hash that is not of the chain’s form is not found, without a request to the node', async () => {
  const answer = await verify({ rpcUrl: 'http://127.0.0.1:1' }, 'abcd');
  expect(answer).toEqual({ kind: 'invalid', reason: 'This is not a transaction hash of eth' });
});

describe('a chain that cannot be trusted is an error', () => {
  const hash = 'ab'.repeat(32);

  test.each<[string, Partial<EvmSettings> | (() => Partial<EvmSettings>), string]>([
    ['its node is of another network', { chainId: 1 }, 'its node is of chain 31337, not 1'],
    [
      'its token has other decimals than the settings',
      () => ({ tokens: { usdt: { contract: usdt.address, decimals: 18 } } }),
      'the contract of usdt has 6 decimals, the settings say 18',
    ],
    [
      'there is no contract at the token’s address',
      () => ({ tokens: { usdt: { contract: payer, decimals: 6 } } }),
      'the decimals of usdt: The contract function "decimals" returned no data ("0x")',
    ],
    ['the token is not configured', { tokens: {} }, 'no contract of usdt is configured'],
  ])('%s', async (_what, changes, message) => {
    const given = typeof changes === 'function' ? changes() : changes;
    await expect(verify(given, hash)).rejects.toThrow(`eth cannot be queried: ${message}`);
  });
});

describe('a node that fails', () => {
  let node: JsonServer;
  beforeAll(async () => {
    node = await startJsonServer(() => ({}));
  });
  afterAll(() => node?.close());
  const secret = 'key-of-the-node';
  const hash = 'ab'.repeat(32);
  const rpcError = (id: unknown, code: number) => ({
    json: { jsonrpc: '2.0', id, error: { code, message: `project ${secret} at http://x/${secret}` } },
  });

  test.each<[string, Parameters<JsonServer['answer']>[0], RegExp]>([
    [
      'refuses the key',
      () => ({ status: 401, json: { error: secret } }),
      /HTTP request failed \(HTTP 401\)$/,
    ],
    ['is down', () => ({ status: 503, json: secret }), /HTTP request failed \(HTTP 503\)$/],
    ['does not return JSON', () => ({ text: '<html>' }), /eth cannot be queried: /],
    ['hangs', () => 'hang', /took too long to respond$|no answer within/],
    ['has an error of its own', ({ body }) => rpcError(body.id, -32000), /\(code -32000\)$/],
    [
      'does not know the finalized block',
      ({ body }) =>
        body.method === 'eth_getBlockByNumber'
          ? rpcError(body.id, -32602)
          : {
              json: { jsonrpc: '2.0', id: body.id, result: body.method === 'eth_chainId' ? '0x7a69' : null },
            },
      /its node has no finalized block; set CHAIN_ETH_CONFIRMATIONS$/,
    ],
  ])(
    'because it %s is reported with the chain and the fault, and without its address or key',
    async (_what, reply, message) => {
      node.answer(reply);
      const failure = await verify({ rpcUrl: `${node.url}/${secret}` }, hash, { symbol: 'eth' }).then(
        () => undefined,
        (error: Error) => error,
      );
      expect(failure?.message).toMatch(/^eth cannot be queried: /);
      expect(failure?.message).toMatch(message);
      expect(JSON.stringify([failure?.message, failure?.stack, failure?.cause])).not.toContain(secret);
      expect(failure?.message).not.toContain('127.0.0.1');
    },
  );
});

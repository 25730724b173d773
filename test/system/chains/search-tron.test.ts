import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { createTronVerifier } from '../../../src/adapters/chain-tron.ts';
import type { ExpectedTransfer } from '../../../src/adapters/ports.ts';
import { newLp } from '../../support/actors.ts';
import { startCorridor } from '../../support/corridor.ts';
import {
  contractCall,
  startTronNode,
  type TronNode,
  transferLog,
  tronAddress,
} from '../../support/tron-node.ts';

const bytes = () => randomBytes(20).toString('hex');
const [TOKEN, PAYER, PLATFORM, COLD, STRANGER] = [bytes(), bytes(), bytes(), bytes(), bytes()] as const;
const AT = Date.UTC(2026, 2, 1);

let node: TronNode;
beforeAll(async () => {
  node = await startTronNode(6);
});
beforeEach(() => {
  node.server.answer(node.serve);
  node.server.received.length = 0;
  node.transactions.clear();
  node.hasIndex = true;
});
afterAll(() => node?.server.close());

const pays = (
  units: bigint,
  { from = PAYER, to = PLATFORM, contract = TOKEN, at = AT, solidified = true } = {},
): string => {
  const id = randomBytes(32).toString('hex');
  const info = contractCall(id, contract, [transferLog(contract, from, to, units)], at);
  node.transactions.set(id, { solidified, info });
  return id;
};
const find = (changes: Partial<ExpectedTransfer> = {}) =>
  createTronVerifier({
    rpcUrl: node.server.url,
    apiKey: 'key-of-the-node',
    tokens: { usdt: { contract: tronAddress(TOKEN), decimals: 6 } },
    depositAddress: tronAddress(PLATFORM),
    reserveAddresses: [tronAddress(COLD)],
  }).findTransfer({
    ...{ symbol: 'usdt', recipient: tronAddress(PLATFORM), destinationTag: null },
    ...{ amount: '10.05', notBefore: new Date(AT), platformMaySend: false },
    ...changes,
  });
const searches = () => node.server.received.filter(({ path }) => path.startsWith('/v1/'));

describe('a TRC-20 transfer without a hash', () => {
  test('is found by recipient, token and exact amount, with the node’s key sent along', async () => {
    const hash = pays(10_050_000n);
    pays(10_050_001n);
    pays(10_049_999n);
    pays(10_050_000n, { to: STRANGER });
    pays(10_050_000n, { contract: bytes() });
    expect(await find()).toEqual({ kind: 'found', txHash: hash });
    expect(await find({ amount: '10.050002' })).toEqual({ kind: 'not_found' });
    const [search] = searches();
    expect(search?.headers['tron-pro-api-key']).toBe('key-of-the-node');
  });

  test('is not found among those that the platform sends to itself', async () => {
    const hash = pays(10_050_000n);
    pays(10_050_000n, { from: COLD, at: AT + 1_000 });
    expect(await find()).toEqual({ kind: 'found', txHash: hash });
    node.transactions.delete(hash);
    expect(await find()).toEqual({ kind: 'not_found' });
    expect(await find({ platformMaySend: true })).toMatchObject({ kind: 'found' });
  });

  test('from before the announcement is not found, even if the node ignores the requested time', async () => {
    pays(10_050_000n, { at: AT - 1 });
    node.server.answer((request) =>
      node.serve({ ...request, path: request.path.replace(/min_timestamp=\d+/, 'min_timestamp=0') }),
    );
    expect(await find()).toEqual({ kind: 'not_found' });
    expect(await find({ notBefore: new Date(AT - 1) })).toMatchObject({ kind: 'found' });
  });

  test('is found on a later page, and a search requests at most five pages', async () => {
    const hash = pays(10_050_000n);
    for (let i = 1; i <= 450; i++) pays(1n, { at: AT + i });
    expect(await find()).toEqual({ kind: 'found', txHash: hash });
    expect(searches()).toHaveLength(3);
    for (let i = 451; i <= 1_000; i++) pays(1n, { at: AT + i });
    expect(await find()).toMatchObject({
      kind: 'not_searchable',
      reason: expect.stringMatching(/no further/),
    });
    expect(searches()).toHaveLength(8);
  });

  test('of TRX needs its hash, and the node gets no request', async () => {
    expect(await find({ symbol: 'trx' })).toMatchObject({ kind: 'not_searchable' });
    expect(node.server.received).toHaveLength(0);
  });
});

describe('a node that cannot be searched', () => {
  test.each<[string, Parameters<TronNode['server']['answer']>[0]]>([
    ['has no index', () => ({ status: 404, text: 'not found' })],
    ['allows no GET', () => ({ status: 405, text: '' })],
    ['returns a refusal', () => ({ json: { success: false, error: 'of key-of-the-node' } })],
    ['does not return JSON', () => ({ text: '<html>' })],
  ])('because it %s', async (_why, reply) => {
    node.server.answer((request) => (request.path.startsWith('/v1/') ? reply(request) : node.serve(request)));
    expect(await find()).toEqual({
      kind: 'not_searchable',
      reason: 'the chain’s node cannot be searched for transfers',
    });
  });

  test.each<[string, Parameters<TronNode['server']['answer']>[0], RegExp]>([
    ['is busy', () => ({ status: 429, text: 'slow down' }), /HTTP 429/],
    ['refuses the key', () => ({ status: 401, text: 'key-of-the-node' }), /HTTP 401/],
    ['is broken', () => ({ status: 500, text: '' }), /HTTP 500/],
  ])('temporarily, because it %s, is an error without address or key', async (_why, reply, message) => {
    node.server.answer((request) => (request.path.startsWith('/v1/') ? reply(request) : node.serve(request)));
    const failure = await find().then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).toMatch(message);
    expect(failure).not.toMatch(/127\.0\.0\.1|key-of-the-node/);
  });
});

test('a deposit on Tron is credited without a hash once it is solidified, if the node has an index', async () => {
  const corridor = await startCorridor({
    worker: false,
    env: {
      SANDBOX: 'true',
      CHAIN_TRX_RPC_URL: node.server.url,
      CHAIN_TRX_TOKENS: `usdt:${tronAddress(TOKEN)}:6`,
      CHAIN_TRX_DEPOSIT_ADDRESS: tronAddress(PLATFORM),
    },
  });
  try {
    const lp = await newLp(corridor, { asset: false, collateral: 0 });
    const path = `/api/lp/${lp.key}/collateral`;
    const { deposit_id, pay_to } = await expectStatus(
      200,
      lp.call('POST', `${path}/deposit`, { amount: 100 }),
    );
    const confirm = () => lp.call('POST', `${path}/${deposit_id}/confirm`, {});
    expect((await confirm()).body.error).toMatch(
      new RegExp(`^No transfer of exactly ${pay_to.amount} usdt has arrived`),
    );
    const units = BigInt(Math.round(pay_to.amount * 1e6));
    const hash = pays(units, { at: Date.now(), solidified: false });
    expect((await confirm()).body.error).toMatch(/block 32880248 is not solidified/);
    const transaction = node.transactions.get(hash);
    if (transaction) transaction.solidified = true;
    node.hasIndex = false;
    expect(await confirm()).toMatchObject({
      status: 400,
      body: {
        error: { fieldErrors: { tx_hash: [expect.stringMatching(/^is required: the chain’s node/)] } },
      },
    });
    node.hasIndex = true;
    expect((await confirm()).status).toBe(200);
    const { balance } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`));
    expect(balance.available).toBe(pay_to.amount);
  } finally {
    await corridor.stop();
  }
});

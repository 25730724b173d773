import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Address, erc20Abi, getAddress } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { expectStatus } from '../../../dev/http-client.ts';
import { decimal } from '../../../src/domain/money.ts';
import {
  type Agent,
  collateralOf,
  confirmedOrder,
  newAgent,
  pay,
  settle,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { lpOn } from '../../support/chain-lp.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { type VerificationWatch, watchVerifications } from '../../support/verification-watch.ts';

const HOUR = 3_600_000;
/** The price of this file's orders: 10 USD and a fee of 5 cents. The amount of each order is up to a cent more. */
const PRICE = '10.05';

let chain: EvmChain;
let proxy: TcpProxy;
let usdt: EvmToken;
let other: EvmToken;
let payer: Address;
let lpAddress: Address;
let stranger: Address;
let corridor: TestCorridor;
let verifications: VerificationWatch;
let agent: Agent;
let lp: TestLp;
/** A full payment before any order, earlier than the tolerated difference of the chain's clock. */
let early: string;

beforeAll(async () => {
  chain = await startEvmChain({ ageMs: 20_000 });
  [payer, lpAddress, stranger] = chain.accounts as [Address, Address, Address];
  usdt = await chain.deployToken('usdt', 6);
  other = await chain.deployToken('usdt', 6);
  for (const token of [usdt, other]) await token.mint(payer, '1000000');
  early = await usdt.transfer(payer, lpAddress, PRICE);
  // From now on the test sets the chain's clock.
  await chain.client.request({ method: 'evm_setTime', params: [Math.ceil(Date.now() / 1_000)] } as never);

  proxy = await startTcpProxy('127.0.0.1', Number(new URL(chain.rpcUrl).port));
  corridor = await startCorridor({
    env: {
      SANDBOX: 'true',
      CHAIN_ETH_RPC_URL: `http://127.0.0.1:${proxy.port}/?key=key-of-the-node`,
      CHAIN_ETH_ID: String(chain.chainId),
      CHAIN_ETH_TOKENS: `usdt:${usdt.address}:6`,
    },
  });
  verifications = await watchVerifications(corridor);
  agent = await newAgent(corridor);
  lp = await lpOn(corridor, { symbol: 'usdt', chain: 'eth', address: lpAddress }, { collateral: 10_000 });
});
afterAll(async () => {
  await verifications?.close();
  await corridor?.stop();
  await proxy?.close();
  await chain?.stop();
});

const order = (payment: object = {}) => confirmedOrder(agent, lp, { crypto_chain: 'eth', ...payment });
/** An order's amount, plus `units` of the token's smallest unit. */
async function owed(orderId: number, units = 0): Promise<string> {
  const { amount_crypto } = await expectStatus(200, agent.call('GET', `/api/orders/${orderId}`));
  return decimal(amount_crypto).plus(decimal(units).div(1_000_000)).toFixed();
}
/** Pays an order's amount, plus `units` of the token's smallest unit. */
const payOrder = async (orderId: number, units = 0) =>
  usdt.transfer(payer, lpAddress, await owed(orderId, units));
/** The last transition on the order's timeline. */
const lastMove = async (orderId: number) =>
  (await expectStatus(200, agent.call('GET', `/api/v1/orders/${orderId}/timeline`))).transitions.at(-1);

describe('a payment in an ERC-20 token', () => {
  test('completes the order when its block is final, and not before', async () => {
    const before = await collateralOf(corridor, lp);
    const id = await order();
    const hash = await payOrder(id);
    expect((await settle(agent, id, hash.toUpperCase().replace('0X', '0x'))).status).toBe(200);
    await eventually(async () =>
      /not final: it is in block \d+, final is/.test((await verifications.lastFailure(id)) ?? ''),
    );
    expect(await statusOf(agent, id)).toBe('crypto_verify_pending');
    await chain.finalise();
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
    expect(await lastMove(id)).toMatchObject({ status: 'completed', cause: 'verified', reason: null });
    const after = await collateralOf(corridor, lp);
    expect(after.locked).toBe(before.locked);
    expect(after.available).toBeCloseTo(before.available - 0.05, 6);
  });

  test.each<[string, (id: number) => Promise<string>, RegExp]>([
    ['one unit too little', (id) => payOrder(id, -1), /pays [\d.]+ usdt, not exactly [\d.]+: 0.000001 less/],
    ['one unit too much', (id) => payOrder(id, 1), /pays [\d.]+ usdt, not exactly [\d.]+: 0.000001 more/],
    [
      'the amount in two transfers',
      async (id) =>
        usdt.transferMany(payer, [
          [lpAddress, '6'],
          [
            lpAddress,
            decimal(await owed(id))
              .minus(6)
              .toFixed(),
          ],
        ]),
      /pays 6 usdt, not exactly/,
    ],
    [
      'another token of the same name',
      async (id) => other.transfer(payer, lpAddress, await owed(id)),
      /pays no usdt/,
    ],
    [
      'another address',
      async (id) => usdt.transfer(payer, stranger, await owed(id)),
      /pays no usdt to the address/,
    ],
    ['the chain’s own coin', () => sendCoin(), /pays no usdt/],
    ['nothing, because it was reverted', () => revertedTransfer(), /was reverted/],
    ['before the claim', async () => early, /before what it should pay for/],
  ])('that pays %s returns the order to confirmed, with the reason', async (_what, send, reason) => {
    const id = await order();
    const hash = await send(id);
    await chain.finalise();
    await expectStatus(200, settle(agent, id, hash));
    await eventuallyEquals(() => statusOf(agent, id), 'confirmed');
    expect(await lastMove(id)).toMatchObject({
      cause: 'invalid',
      reason: expect.stringMatching(reason),
    });
    const right = await payOrder(id);
    await chain.finalise();
    await expectStatus(200, settle(agent, id, right));
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  });

  test('of another order of the same LP and price does not pay, and pays its own', async () => {
    const [thief, victim] = [await order(), await order()];
    const hash = await payOrder(victim);
    await chain.finalise();
    await expectStatus(200, settle(agent, thief, hash));
    await eventuallyEquals(() => statusOf(agent, thief), 'confirmed');
    expect((await lastMove(thief)).reason).toMatch(/not exactly/);
    await expectStatus(200, settle(agent, victim, hash));
    await eventuallyEquals(() => statusOf(agent, victim), 'completed');
  });

  test('among many transfers is the one of exactly the amount', async () => {
    const id = await order();
    const hash = await usdt.transferMany(payer, [
      [stranger, '500'],
      [lpAddress, '2'],
      [lpAddress, '40'],
      [lpAddress, await owed(id)],
    ]);
    await chain.finalise();
    await settle(agent, id, hash);
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
    expect((await lastMove(id)).reason).toBeNull();
  });

  test('pays only one order, in any spelling of its hash', async () => {
    const [first, second] = [await order(), await order()];
    const hash = await payOrder(first);
    await chain.finalise();
    await settle(agent, first, hash);
    await eventuallyEquals(() => statusOf(agent, first), 'completed');
    await expectStatus(200, settle(agent, second, hash.slice(2).toUpperCase()));
    await eventuallyEquals(() => statusOf(agent, second), 'confirmed');
    expect((await lastMove(second)).reason).toMatch(/not exactly/);
    expect((await settle(agent, second, hash)).status).toBe(409);
  });

  test('that a reorganisation removes is pending until it is on the chain again', async () => {
    const id = await order();
    const hash = await payOrder(id);
    const raw = await chain.client.request({
      method: 'eth_getRawTransactionByHash',
      params: [hash],
    } as never);
    await settle(agent, id, hash);
    await eventually(async () => /not final/.test((await verifications.lastFailure(id)) ?? ''));
    await chain.client.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await chain.finalise();
    await eventuallyEquals(() => verifications.lastFailure(id), 'No such transaction yet');
    expect(await statusOf(agent, id)).toBe('crypto_verify_pending');
    await chain.mined(chain.client.sendRawTransaction({ serializedTransaction: raw }));
    await chain.finalise();
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  });

  test.each([
    ['is unavailable', 'cut', /^eth cannot be queried: the \w+( \w+)*: HTTP request failed$/],
    ['hangs', 'freeze', /^eth cannot be queried: /],
  ] as const)('is checked until its node, which %s, is back', async (_what, fault, message) => {
    const id = await order();
    const hash = await payOrder(id);
    await chain.finalise();
    proxy[fault]();
    try {
      await settle(agent, id, hash);
      const reported = await eventually(() => verifications.lastFailure(id), 40_000);
      expect(reported).toMatch(message);
      expect(reported).not.toMatch(/key-of-the-node|127\.0\.0\.1/);
      expect(await statusOf(agent, id)).toBe('crypto_verify_pending');
    } finally {
      proxy.restore();
    }
    await eventuallyEquals(() => statusOf(agent, id), 'completed', 40_000);
  });

  test.each(['abcd', `0x${'ab'.repeat(31)}`, `0x${'zz'.repeat(32)}`])(
    'has a hash of the chain’s form, which %p is not',
    async (tx_hash) => {
      const answer = await settle(agent, await order(), tx_hash);
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.error.fieldErrors)).toEqual(['tx_hash']);
    },
  );
});

describe('the chain’s own coin and other tokens', () => {
  test.each([
    [
      'usdc',
      'eth',
      /^usdc on eth is not accepted here; accepted tokens: any token on trx; eth, usdt on eth; any token on polygon/,
    ],
    ['xrp', 'eth', /not accepted here/],
  ])(
    '%s on %s is refused by pay, rates and assets if no verifier could find it',
    async (symbol, on, text) => {
      const token = { crypto_symbol: symbol, crypto_chain: on };
      const quote = { amount: 1_295, currency: 'KES', ...token };
      const asset = { symbol, chain: on, address: lpAddress };
      for (const answer of [
        await pay(agent, token),
        await agent.call('POST', '/api/v1/rates', quote),
        await lp.call('POST', `/api/lp/${lp.key}/assets`, asset),
      ]) {
        expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(text) } });
      }
    },
  );

  test('have no price without a source', async () => {
    const answer = await pay(agent, { crypto_symbol: 'eth', crypto_chain: 'eth' });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/Could not calculate rate/) },
    });
  });
});

describe('a receive address', () => {
  const register = (address: string) =>
    lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdt', chain: 'eth', address });

  test('may be in lower case, or with the right checksum', async () => {
    for (const address of [lpAddress.toLowerCase(), getAddress(lpAddress)]) {
      expect((await register(address)).status).toBe(201);
    }
  });

  test.each([
    ['one of another chain', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['one with a wrong checksum', '0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    ['one without 0x', 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266'],
    ['one that is too short', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb9226'],
  ])('is not %s', async (_what, address) => {
    const answer = await register(address);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { fieldErrors: { address: ['must be an address of eth'] } } },
    });
  });
});

describe('an installation without a sandbox', () => {
  let strict: TestCorridor;
  beforeAll(async () => {
    strict = await startCorridor({
      worker: false,
      env: {
        SANDBOX: 'false',
        CHAIN_ETH_RPC_URL: chain.rpcUrl,
        CHAIN_ETH_ID: String(chain.chainId),
        CHAIN_ETH_TOKENS: `usdt:${usdt.address}:6`,
      },
    });
  });
  afterAll(() => strict?.stop());

  test('offers the configured chains, and refuses the others with a message', async () => {
    const caller = await newAgent(strict);
    const taker = await lpOn(strict, { symbol: 'usdt', chain: 'eth', address: lpAddress }, { collateral: 0 });
    const text = 'usdt on trx is not accepted here; accepted tokens: eth, usdt on eth';
    const quote = { amount: 1_295, currency: 'KES' };
    for (const answer of [
      await pay(caller),
      await caller.call('POST', '/api/v1/rates', quote),
      await taker.call('POST', `/api/lp/${taker.key}/assets`, { symbol: 'usdt', chain: 'trx', address: 'T' }),
      await taker.call('POST', `/api/lp/${taker.key}/collateral/deposit`, { amount: 5 }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { error: text } });
    }
    // The token is accepted. Only the collateral is missing, which no LP can deposit here yet.
    expect(await pay(caller, { crypto_chain: 'eth' })).toMatchObject({
      status: 404,
      body: { error: expect.stringMatching(/^No LP available/) },
    });
    const noAddress = await taker.call('POST', `/api/lp/${taker.key}/collateral/deposit`, {
      amount: 5,
      chain: 'eth',
    });
    expect(noAddress).toMatchObject({
      status: 400,
      body: { error: 'Collateral on eth is not accepted here' },
    });
    expect((await strict.anyone('POST', '/sandbox/transactions', {})).status).toBe(404);
  });
});

test('a sandbox transaction cannot be put on a real chain', async () => {
  const body = { chain: 'eth', symbol: 'usdt', to: lpAddress, amount: 100 };
  const answer = await corridor.anyone('POST', '/sandbox/transactions', body);
  expect(answer.status).toBe(400);
  expect(answer.body.error.fieldErrors.chain).toEqual(['must be a chain that is simulated here']);
});

// The last test, because it moves the chain's clock forward.
test('a payment that is mined after the deadline to settle completes the order, with a note', async () => {
  const id = await order();
  await chain.client.setNextBlockTimestamp({
    timestamp: BigInt(Math.ceil((Date.now() + 25 * HOUR) / 1_000)),
  });
  const hash = await payOrder(id);
  await chain.finalise();
  await settle(agent, id, hash);
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
  expect((await lastMove(id)).reason).toMatch(/^The payment was made at .*, after its deadline$/);
});

const sendCoin = () =>
  chain.mined(
    chain.client.sendTransaction({ account: payer, to: lpAddress, value: 10n ** 19n, chain: null }),
  );

/** A transfer of more than the payer has. It has a gas limit, so that the node does not simulate it first. */
const revertedTransfer = () =>
  chain.mined(
    chain.client.writeContract({
      address: usdt.address,
      abi: erc20Abi,
      functionName: 'transfer',
      args: [lpAddress, 10n ** 30n],
      account: payer,
      chain: null,
      gas: 100_000n,
    }),
  );

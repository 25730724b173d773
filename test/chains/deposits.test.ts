import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../dev/evm-chain.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { collateralOf, newLp, type TestLp } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let chain: EvmChain;
let wire: TcpProxy;
let usdc: EvmToken;
let sender: Address;
let platform: Address;
let stranger: Address;
let early: string;
let corridor: TestCorridor;

beforeAll(async () => {
  chain = await startEvmChain({ ageMs: 3_600_000 });
  [sender, platform, stranger] = chain.accounts as [Address, Address, Address];
  usdc = await chain.deployToken('usdc', 18);
  await usdc.mint(sender, '1000000');
  early = await usdc.transfer(sender, platform, '100');
  await chain.client.request({ method: 'evm_setTime', params: [Math.ceil(Date.now() / 1_000)] } as never);
  wire = await startTcpProxy('127.0.0.1', Number(new URL(chain.rpcUrl).port));
  corridor = await startCorridor({
    worker: false,
    env: {
      SANDBOX: 'true',
      CHAIN_BASE_RPC_URL: `http://127.0.0.1:${wire.port}`,
      CHAIN_BASE_ID: String(chain.chainId),
      CHAIN_BASE_TOKENS: `usdc:${usdc.address}:18`,
      CHAIN_BASE_DEPOSIT_ADDRESS: platform,
    },
  });
});
afterAll(async () => {
  await corridor?.stop();
  await wire?.close();
  await chain?.stop();
});

const newDepositor = () => newLp(corridor, { asset: false, collateral: 0 });
const announce = (lp: TestLp, changes: Record<string, unknown>) =>
  lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, {
    amount: 100,
    asset: 'usdc',
    chain: 'base',
    ...changes,
  });
const announced = async (lp: TestLp, changes: Record<string, unknown>): Promise<number> =>
  (await expectStatus(200, announce(lp, changes))).deposit_id;
const confirm = (lp: TestLp, id: number) => lp.call('POST', `/api/lp/${lp.key}/collateral/${id}/confirm`, {});
const free = async (lp: TestLp) => (await collateralOf(corridor, lp)).available;

test('no LP can use the platform’s deposit address as its receive address', async () => {
  const lp = await newDepositor();
  const take = (address: string) =>
    lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdc', chain: 'base', address });
  for (const address of [platform, platform.toLowerCase()]) {
    expect(await take(address)).toMatchObject({
      status: 400,
      body: { error: { fieldErrors: { address: ['must not be the platform’s deposit address'] } } },
    });
  }
  expect((await take(stranger)).status).toBe(201);
});

describe('a deposit on a real chain', () => {
  test('goes to the address that the announcement and the balance name', async () => {
    const lp = await newDepositor();
    expect((await announce(lp, {})).body).toEqual({
      ok: true,
      amount: 100,
      asset: 'usdc',
      deposit_id: expect.any(Number),
      pay_to: platform,
    });
    const balance = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`));
    expect(balance.deposit_addresses).toEqual([{ chain: 'base', address: platform }]);
  });

  test('is credited once when it is final, however often it is confirmed', async () => {
    const lp = await newDepositor();
    const tx_hash = await usdc.transfer(sender, platform, '100');
    const id = await announced(lp, { tx_hash });
    expect(await confirm(lp, id)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^The transaction is not final yet .*: confirm again later$/) },
    });
    await chain.finalise();
    const answers = await Promise.all([confirm(lp, id), confirm(lp, id), confirm(lp, id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await confirm(lp, id)).status).toBe(200);
    expect(await free(lp)).toBe(100);
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    [
      'less than was announced',
      () => usdc.transfer(sender, platform, '99'),
      /pays 99 usdc, not exactly 100: 1 less/,
    ],
    [
      'more, which would be lost',
      () => usdc.transfer(sender, platform, '101'),
      /pays 101 usdc, not exactly 100: 1 more/,
    ],
    ['another address', () => usdc.transfer(sender, stranger, '100'), /pays no usdc/],
    ['the platform before the LP was there', async () => early, /before what it should pay for/],
    ['nothing that is there', async () => 'ab'.repeat(32), /^There is no such transaction on the chain yet/],
  ])('is not credited by a transaction that pays %s', async (_what, send, reason) => {
    const lp = await newDepositor();
    const tx_hash = await send();
    await chain.finalise();
    const id = await announced(lp, { tx_hash });
    const answer = await confirm(lp, id);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(reason) } });
    expect(await free(lp)).toBe(0);
  });

  test('of less than the ledger can hold too much is refused like any other amount', async () => {
    const lp = await newDepositor();
    const tx_hash = await usdc.transfer(sender, platform, '100.0000009');
    await chain.finalise();
    expect(await confirm(lp, await announced(lp, { tx_hash }))).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/pays 100.0000009 usdc, not exactly 100: 0.0000009 more/) },
    });
    expect(await free(lp)).toBe(0);
  });

  test('is not credited on the LP’s word', async () => {
    const lp = await newDepositor();
    const answer = await confirm(lp, await announced(lp, {}));
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/without its tx_hash/) },
    });
    expect(await free(lp)).toBe(0);
  });

  test('counts once, however often its transaction is announced', async () => {
    const lp = await newDepositor();
    const tx_hash = await usdc.transfer(sender, platform, '100');
    await chain.finalise();
    const [first, second] = [
      await announced(lp, { tx_hash }),
      await announced(lp, { tx_hash: tx_hash.toUpperCase().slice(2) }),
    ];
    expect((await confirm(lp, first)).status).toBe(200);
    expect((await confirm(lp, second)).status).toBe(409);
    expect(await free(lp)).toBe(100);
  });

  test('is not blocked by strangers that announced its transaction before and never confirm, or fail to', async () => {
    const [stranger, failing, lp] = [await newDepositor(), await newDepositor(), await newDepositor()];
    const tx_hash = await usdc.transfer(sender, platform, '100');
    await chain.finalise();
    await announced(stranger, { tx_hash, amount: 0.000001 });
    const tooLittle = await announced(failing, { tx_hash: tx_hash.slice(2).toUpperCase(), amount: 50 });
    expect((await confirm(failing, tooLittle)).status).toBe(400);
    expect((await confirm(lp, await announced(lp, { tx_hash }))).status).toBe(200);
    expect([await free(lp), await free(stranger), await free(failing)]).toEqual([100, 0, 0]);
  });

  test('that many confirm at the same time is credited to one of them', async () => {
    const tx_hash = await usdc.transfer(sender, platform, '100');
    await chain.finalise();
    const all = await Promise.all(Array.from({ length: 8 }, newDepositor));
    const ids = await Promise.all(all.map((lp) => announced(lp, { tx_hash })));
    const answers = await Promise.all(all.map((lp, i) => confirm(lp, ids[i] as number)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    const credited = await Promise.all(all.map(free));
    expect(credited.reduce((sum, amount) => sum + amount, 0)).toBe(100);
  });

  test.each([
    [{ tx_hash: 'abcd' }, /64 hexadecimal digits/],
    [{ asset: 'usdt' }, /usdt on base is not accepted here/],
  ])('is refused immediately with %j', async (changes, text) => {
    const answer = await announce(await newDepositor(), changes);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body.error)).toMatch(text);
  });

  test('gets a 503 while its node is unavailable, and is credited afterwards', async () => {
    const lp = await newDepositor();
    const tx_hash = await usdc.transfer(sender, platform, '100');
    await chain.finalise();
    const id = await announced(lp, { tx_hash });
    wire.cut();
    try {
      const answer = await confirm(lp, id);
      expect(answer).toMatchObject({
        status: 503,
        body: { error: 'base does not respond at the moment: confirm again later' },
      });
      expect(answer.headers.get('retry-after')).toBe('10');
    } finally {
      wire.mend();
    }
    expect((await confirm(lp, id)).status).toBe(200);
    expect(await free(lp)).toBe(100);
  });
});

test('a deposit on a chain that is no longer configured is not credited', async () => {
  const lp = await newDepositor();
  const id = await announced(lp, { tx_hash: 'cd'.repeat(32) });
  const without = await startCorridor({
    worker: false,
    databaseUrl: corridor.shared.databaseUrl,
    env: { SANDBOX: 'false', CHAIN_XRPL_RPC_URL: 'ws://127.0.0.1:1' },
  });
  try {
    const answer = await without.as(lp.key)('POST', `/api/lp/${lp.key}/collateral/${id}/confirm`, {});
    expect(answer).toMatchObject({ status: 400, body: { error: 'Deposits on base are not accepted here' } });
  } finally {
    await without.stop();
  }
});

test('a deposit on a simulated chain has no deposit address', async () => {
  const lp = await newDepositor();
  expect((await announce(lp, { chain: 'trx' })).body.pay_to).toBeNull();
});

test('a withdrawal needs an address of its chain', async () => {
  const lp = await newDepositor();
  const tx_hash = await usdc.transfer(sender, platform, '100');
  await chain.finalise();
  await expectStatus(200, confirm(lp, await announced(lp, { tx_hash })));
  const withdraw = (address: string) =>
    lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, {
      amount: 40,
      asset: 'usdc',
      chain: 'base',
      address,
    });
  const refused = await withdraw('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
  expect(refused.status).toBe(400);
  expect(refused.body.error.fieldErrors.address).toEqual(['must be an address of base']);
  expect((await withdraw(stranger)).status).toBe(201);
  expect(await free(lp)).toBe(60);
});

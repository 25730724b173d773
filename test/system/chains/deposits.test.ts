import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { expectStatus } from '../../../dev/http-client.ts';
import { newLp, type TestLp } from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

let chain: EvmChain;
let proxy: TcpProxy;
let usdc: EvmToken;
let sender: Address;
let platform: Address;
let stranger: Address;
let corridor: TestCorridor;

beforeAll(async () => {
  chain = await startEvmChain();
  [sender, platform, stranger] = chain.accounts as [Address, Address, Address];
  usdc = await chain.deployToken('usdc', 18);
  await usdc.mint(sender, '1000000');
  proxy = await startTcpProxy('127.0.0.1', Number(new URL(chain.rpcUrl).port));
  corridor = await startCorridor({
    worker: false,
    env: {
      SANDBOX: 'true',
      CHAIN_BASE_RPC_URL: `http://127.0.0.1:${proxy.port}`,
      CHAIN_BASE_ID: String(chain.chainId),
      CHAIN_BASE_TOKENS: `usdc:${usdc.address}:18`,
      CHAIN_BASE_DEPOSIT_ADDRESS: platform,
    },
  });
});
afterAll(async () => {
  await corridor?.stop();
  await proxy?.close();
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
interface Announced {
  id: number;
  /** The exact amount that the transfer must pay. */
  amount: number;
}
const announced = async (lp: TestLp, changes: Record<string, unknown> = {}): Promise<Announced> => {
  const { deposit_id, pay_to } = await expectStatus(200, announce(lp, changes));
  return { id: deposit_id, amount: pay_to.amount };
};
const confirm = (lp: TestLp, id: number, tx_hash?: string) =>
  lp.call('POST', `/api/lp/${lp.key}/collateral/${id}/confirm`, { tx_hash });
const send = (amount: number, to: Address = platform) => usdc.transfer(sender, to, String(amount));
const credited = async (lp: TestLp): Promise<number> =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`))).balance.available;

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
  test('is paid with the amount and at the address that the announcement names', async () => {
    const lp = await newDepositor();
    const { body } = await announce(lp, {});
    expect(body).toEqual({
      ok: true,
      amount: 100,
      asset: 'usdc',
      deposit_id: expect.any(Number),
      pay_to: { chain: 'base', address: platform, amount: expect.any(Number) },
      expires_at: expect.any(String),
    });
    expect(body.pay_to.amount).toBeGreaterThanOrEqual(100);
    expect(body.pay_to.amount).toBeLessThan(100.01);
    const balance = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`));
    expect(balance.deposit_addresses).toContainEqual({ chain: 'base', address: platform });
    expect(balance.recent_deposits).toMatchObject([
      { amount: body.pay_to.amount, status: 'pending', expires_at: body.expires_at },
    ]);
  });

  test('is credited once when it is final, however often it is confirmed', async () => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    const hash = await send(amount);
    expect(await confirm(lp, id, hash)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^The transaction is not final yet .*: try again later$/) },
    });
    await chain.finalise();
    const answers = await Promise.all([1, 2, 3].map(() => confirm(lp, id, hash)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await confirm(lp, id)).status).toBe(200);
    expect(await credited(lp)).toBe(amount);
  });

  test.each<[string, (amount: number) => Promise<string>, (amount: number) => string]>([
    [
      'less than was announced',
      () => send(99),
      (amount) => `pays 99 usdc, not exactly ${amount}: [\\d.]+ less`,
    ],
    [
      'more, which would be lost',
      () => send(101),
      (amount) => `pays 101 usdc, not exactly ${amount}: [\\d.]+ more`,
    ],
    ['another address', (amount) => send(amount, stranger), () => 'pays no usdc'],
    [
      'nothing, because it does not exist',
      async () => 'ab'.repeat(32),
      () => '^There is no such transaction on the chain yet',
    ],
  ])('is not credited by a transaction that pays %s', async (_what, pay, reason) => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    const hash = await pay(amount);
    await chain.finalise();
    const answer = await confirm(lp, id, hash);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(reason(amount)) } });
    expect(await credited(lp)).toBe(0);
  });

  test('is not credited without a transaction', async () => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    expect(await confirm(lp, id)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(`^No transfer of exactly ${amount} usdc has arrived`) },
    });
    expect(await credited(lp)).toBe(0);
  });

  test.each([
    [{ tx_hash: 'abcd' }, /64 hexadecimal digits/],
    [{ asset: 'usdt' }, /usdt on base is not accepted here/],
    [{ amount: 1_000_000_000 }, /must be at most 999999999.9 usdc/],
  ])('is refused immediately with %j', async (changes, text) => {
    const answer = await announce(await newDepositor(), changes);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body.error)).toMatch(text);
  });

  test('gets a 503 while its node is unavailable, which costs no look-up, and is credited afterwards', async () => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    const hash = await send(amount);
    await chain.finalise();
    proxy.cut();
    try {
      const answer = await confirm(lp, id, hash);
      expect(answer).toMatchObject({
        status: 503,
        body: { error: 'base does not respond at the moment: try again later' },
      });
      expect(answer.headers.get('retry-after')).toBe('10');
    } finally {
      proxy.restore();
    }
    const { rows } = await corridor.db.pool.query('select lookups from collateral_deposit where id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ lookups: 0 }]);
    expect((await confirm(lp, id, hash)).status).toBe(200);
    expect(await credited(lp)).toBe(amount);
  });
});

test('a deposit on a chain that is no longer configured is not credited', async () => {
  const lp = await newDepositor();
  const { id } = await announced(lp, { tx_hash: 'cd'.repeat(32) });
  const without = await startCorridor({
    worker: false,
    databaseUrl: corridor.databaseUrl,
    env: { SANDBOX: 'false', CHAIN_XRPL_RPC_URL: 'ws://127.0.0.1:1' },
  });
  try {
    const answer = await without.as(lp.key)('POST', `/api/lp/${lp.key}/collateral/${id}/confirm`, {});
    expect(answer).toMatchObject({ status: 400, body: { error: 'Deposits on base are not accepted here' } });
  } finally {
    await without.stop();
  }
});

describe('a deposit on a simulated chain', () => {
  const simulated = async (lp: TestLp) => expectStatus(200, announce(lp, { chain: 'trx' }));

  test('is credited with a transaction of exactly its amount', async () => {
    const lp = await newDepositor();
    const { deposit_id, pay_to } = await simulated(lp);
    const transaction = { chain: 'trx', symbol: 'usdc', to: pay_to.address, amount: pay_to.amount };
    const put = (body: object) => expectStatus(201, corridor.anyone('POST', '/sandbox/transactions', body));
    const { tx_hash: wrong } = await put({ ...transaction, amount: 100.5 });
    expect((await confirm(lp, deposit_id, wrong)).status).toBe(400);
    const { tx_hash } = await put(transaction);
    expect((await confirm(lp, deposit_id, tx_hash)).status).toBe(200);
    expect(await credited(lp)).toBe(pay_to.amount);
  });

  test.each([
    ['sandbox-paid-deposit', 200, undefined],
    ['sandbox-overpaid-deposit', 400, /: [\d.]+ more than is asked for$/],
    ['sandbox-underpaid-deposit', 400, /: [\d.]+ less than is asked for$/],
    ['sandbox-misdirected-deposit', 400, /pays another address/],
    ['sandbox-pending-deposit', 400, /is not final yet/],
    ['sandbox-missing-deposit', 400, /There is no such transaction/],
  ])('with the test hash %s gets %d', async (hash, status, text) => {
    const lp = await newDepositor();
    const { deposit_id, pay_to } = await simulated(lp);
    const answer = await confirm(lp, deposit_id, hash);
    expect(answer.status).toBe(status);
    if (text) expect(answer.body.error).toMatch(text);
    expect(await credited(lp)).toBe(status === 200 ? pay_to.amount : 0);
  });

  test('is credited without a check if it names no transaction', async () => {
    const lp = await newDepositor();
    const { deposit_id, pay_to } = await simulated(lp);
    expect((await confirm(lp, deposit_id)).status).toBe(200);
    expect(await credited(lp)).toBe(pay_to.amount);
  });
});

test('a withdrawal needs an address of its chain', async () => {
  const lp = await newDepositor();
  const { id, amount } = await announced(lp);
  const hash = await send(amount);
  await chain.finalise();
  await expectStatus(200, confirm(lp, id, hash));
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
  expect(await credited(lp)).toBeCloseTo(amount - 40, 6);
});

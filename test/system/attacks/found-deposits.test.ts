import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { type Answer, expectStatus } from '../../../dev/http-client.ts';
import { MOST_LOOKUPS } from '../../../src/domain/deposit-status.ts';
import { decimal } from '../../../src/domain/money.ts';
import { newLp, type TestLp } from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { type EvmRpcProxy, startEvmRpcProxy } from '../../support/evm-rpc-proxy.ts';

/** A deposit that is confirmed without a hash: Corridor searches a real EVM node for the transfer. */
let chain: EvmChain;
let rpcProxy: EvmRpcProxy;
let usdc: EvmToken;
let payer: Address;
let platform: Address;
/** The amount of a transfer from an hour before the tests. */
const EARLY = 100.000042;
let corridor: TestCorridor;

beforeAll(async () => {
  chain = await startEvmChain({ ageMs: 3_600_000 });
  [payer, platform] = chain.accounts as [Address, Address];
  usdc = await chain.deployToken('usdc', 6);
  await usdc.mint(payer, '1000000');
  await send(EARLY);
  await chain.finalise();
  await chain.client.request({ method: 'evm_setTime', params: [Math.ceil(Date.now() / 1_000)] } as never);
  rpcProxy = await startEvmRpcProxy(chain.rpcUrl);
  corridor = await startCorridor({
    worker: false,
    env: {
      SANDBOX: 'true',
      CHAIN_BASE_RPC_URL: rpcProxy.url,
      CHAIN_BASE_ID: String(chain.chainId),
      CHAIN_BASE_TOKENS: `usdc:${usdc.address}:6`,
      CHAIN_BASE_DEPOSIT_ADDRESS: platform,
    },
  });
});
afterAll(async () => {
  await corridor?.stop();
  await rpcProxy?.close();
  await chain?.stop();
});
beforeEach(() => {
  rpcProxy.answer({});
  rpcProxy.resetCount();
});
// Expired and confirmed announcements keep their amounts, which the next test may need.
afterEach(() => corridor.sql('delete from reserved_amount'));

const newDepositor = () => newLp(corridor, { asset: false, collateral: 0 });
const send = (amount: number) => usdc.transfer(payer, platform, String(amount));
const announced = async (lp: TestLp) => {
  const body = { amount: 100, asset: 'usdc', chain: 'base' };
  const call = lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, body);
  const { deposit_id, pay_to } = await expectStatus(200, call);
  return { id: deposit_id as number, amount: pay_to.amount as number };
};
const confirm = (lp: TestLp, id: number, tx_hash?: string) =>
  lp.call('POST', `/api/lp/${lp.key}/collateral/${id}/confirm`, { tx_hash });
const balance = async (lp: TestLp): Promise<number> =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`))).balance.available;
const lookups = async (id: number) =>
  (await corridor.sql('select lookups from collateral_deposit where id = $1', [id]))[0]?.lookups;
const codes = (answers: Answer[]) =>
  answers.map(({ status, headers }) => headers.get('x-error-code') ?? status).sort();
const notArrived = (amount: number) => ({
  status: 400,
  body: { error: expect.stringMatching(`^No transfer of exactly ${amount} usdc has arrived since`) },
});

describe('a deposit that is confirmed without a hash', () => {
  test('is credited with the transfer of its amount, once that is final', async () => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    expect(await confirm(lp, id)).toMatchObject(notArrived(amount));
    const hash = await send(amount);
    expect(await confirm(lp, id)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^The transaction is not final yet/) },
    });
    expect(await balance(lp)).toBe(0);
    // Only the search that found nothing counts: the LP can repeat the call until the transfer is final.
    const lookups = () => corridor.sql('select lookups from collateral_deposit where id = $1', [id]);
    expect(await lookups()).toEqual([{ lookups: 1 }]);
    await chain.finalise();
    await expectStatus(200, confirm(lp, id));
    expect(await balance(lp)).toBe(amount);
    expect(await lookups()).toEqual([{ lookups: 2 }]);
    expect(await corridor.sql('select tx_hash from chain_transaction where deposit_id = $1', [id])).toEqual([
      { tx_hash: hash.replace('0x', '') },
    ]);
  });

  test('is credited once by parallel confirmations, with and without the hash', async () => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    const hash = await send(amount);
    await chain.finalise();
    const named = [undefined, undefined, hash, undefined, hash];
    const answers = await Promise.all(named.map((tx_hash) => confirm(lp, id, tx_hash)));
    expect(codes(answers)).toEqual([200, 200, 200, 200, 200]);
    expect(await balance(lp)).toBe(amount);
  });

  test('finds its own transfer among those of other amounts, which credit nobody', async () => {
    const [lp, other] = [await newDepositor(), await newDepositor()];
    const [mine, theirs] = [await announced(lp), await announced(other)];
    await send(mine.amount);
    const near = [1, -1].map((units) => decimal(units).div(1_000_000).plus(mine.amount).toNumber());
    for (const amount of [...near, 100.5]) if (amount !== theirs.amount) await send(amount);
    await chain.finalise();
    await expectStatus(200, confirm(lp, mine.id));
    expect(await confirm(other, theirs.id)).toMatchObject(notArrived(theirs.amount));
    expect(await balance(lp)).toBe(mine.amount);
  });

  test('is not paid by a transfer of its amount from before the announcement', async () => {
    await corridor.sql(
      `insert into reserved_amount (chain, symbol, purpose, amount, deposit_id, expires_at)
       select 'base', 'usdc', 'deposit', 100 + n / 1000000.0, -1 - n, now() + interval '1 hour'
       from generate_series(0, 9999) n where n <> 42`,
    );
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    expect(amount).toBe(EARLY);
    expect(await confirm(lp, id)).toMatchObject(notArrived(amount));
    expect(await balance(lp)).toBe(0);
  });

  test('is not paid by a transaction that has paid another deposit', async () => {
    const [one, two] = [await newDepositor(), await newDepositor()];
    const [first, second] = [await announced(one), await announced(two)];
    await usdc.transferMany(payer, [
      [platform, String(first.amount)],
      [platform, String(second.amount)],
    ]);
    await chain.finalise();
    const answers = await Promise.all([confirm(one, first.id), confirm(two, second.id)]);
    expect(codes(answers)).toEqual([200, 'transaction_used']);
    expect([await balance(one), await balance(two)]).toContain(0);
    for (const [lp, { id }] of [
      [one, first],
      [two, second],
    ] as const)
      await confirm(lp, id);
    expect([await balance(one), await balance(two)]).toContain(0);
  });
});

describe('a search', () => {
  test('counts as a look-up, and beyond the limit the node gets no request, even with parallel calls', async () => {
    const lp = await newDepositor();
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/suspend`, {}));
    const { id } = await announced(lp);
    await corridor.sql('update collateral_deposit set lookups = $2 where id = $1', [id, MOST_LOOKUPS - 2]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(lp, id)));
    expect(codes(answers)).toEqual([
      ...Array(6).fill('deposit_lookups_used'),
      ...Array(2).fill('deposit_not_verified'),
    ]);
    rpcProxy.resetCount();
    expect((await confirm(lp, id)).status).toBe(409);
    expect(rpcProxy.count()).toBe(0);
  });

  test('costs a fixed number of requests, however long the chain is', async () => {
    const lp = await newDepositor();
    const { id } = await announced(lp);
    const timestamp = `0x${Math.ceil(Date.now() / 1_000 + 60).toString(16)}`;
    rpcProxy.answer({
      eth_blockNumber: () => ({ result: '0x989680' }),
      eth_getLogs: () => ({ result: [] }),
      eth_getBlockByNumber: () => ({ result: { number: '0x1', timestamp } }),
    });
    expect(await confirm(lp, id)).toMatchObject({
      status: 400,
      body: {
        error: { fieldErrors: { tx_hash: [expect.stringMatching(/^is required: the transfer is not/)] } },
      },
    });
    expect(rpcProxy.count('eth_getLogs')).toBeLessThanOrEqual(20);
    expect(await lookups(id)).toBe(1);
  });

  test('that the node refuses requires the hash, and counts; one without an answer does not count', async () => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    const hash = await send(amount);
    await chain.finalise();
    rpcProxy.answer({
      eth_getLogs: () => ({ error: { code: -32601, message: 'at http://x/key-of-the-node' } }),
    });
    expect((await confirm(lp, id)).body.error.fieldErrors).toEqual({
      tx_hash: ['is required: the chain’s node cannot be searched for transfers'],
    });
    expect(await lookups(id)).toBe(1);
    rpcProxy.answer({ eth_getLogs: () => ({ status: 503 }) });
    const answer = await confirm(lp, id);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await lookups(id)).toBe(1);
    await expectStatus(200, confirm(lp, id, hash));
  });
});

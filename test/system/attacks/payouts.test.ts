import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { type Answer, expectStatus } from '../../../dev/http-client.ts';
import { deposit, newLp, type TestLp } from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** A payout of collateral is recorded only with the transaction that pays it. The tests use a real EVM node. */
let chain: EvmChain;
let proxy: TcpProxy;
let usdc: EvmToken;
let other: EvmToken;
let platform: Address;
let target: Address;
let stranger: Address;
let early: string;
let corridor: TestCorridor;
let lp: TestLp;

beforeAll(async () => {
  chain = await startEvmChain({ ageMs: 3_600_000 });
  [platform, target, stranger] = chain.accounts as [Address, Address, Address];
  [usdc, other] = [await chain.deployToken('usdc', 6), await chain.deployToken('usdc', 6)];
  for (const token of [usdc, other]) await token.mint(platform, '1000000');
  early = await send(25);
  await chain.finalise();
  await chain.client.request({ method: 'evm_setTime', params: [Math.ceil(Date.now() / 1_000)] } as never);
  proxy = await startTcpProxy('127.0.0.1', Number(new URL(chain.rpcUrl).port));
  corridor = await startCorridor({
    worker: false,
    env: {
      SANDBOX: 'true',
      CHAIN_BASE_RPC_URL: `http://127.0.0.1:${proxy.port}`,
      CHAIN_BASE_ID: String(chain.chainId),
      CHAIN_BASE_TOKENS: `usdc:${usdc.address}:6`,
    },
  });
  lp = await newLp(corridor, { asset: false, collateral: 0 });
  await deposit(lp, 10_000);
});
afterAll(async () => {
  await corridor?.stop();
  await proxy?.close();
  await chain?.stop();
});

const send = (amount: number, to: Address = target, token: EvmToken = usdc) =>
  token.transfer(platform, to, String(amount));
const requested = async (changes: Record<string, unknown> = {}): Promise<number> => {
  const terms = { amount: 25, asset: 'usdc', chain: 'base', address: target, ...changes };
  // Equal terms without a key are the same request.
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const made = lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, terms, headers);
  return (await expectStatus(201, made)).id;
};
const recordPaid = (id: number, tx_hash?: string) =>
  corridor.admin('POST', `/api/admin/withdrawals/${id}/paid`, { tx_hash });
const codeOf = ({ status, headers }: Answer) => [status, headers.get('x-error-code')];
const statusOf = async (id: number): Promise<string> => {
  const { rows } = await corridor.db.pool.query('select status from collateral_withdrawal where id = $1', [
    id,
  ]);
  return rows[0].status;
};

describe('a payout on a real chain', () => {
  test('is recorded when its transaction is final, and a repeated call needs no node', async () => {
    const id = await requested();
    const hash = await send(25);
    const pending = await recordPaid(id, hash);
    expect(pending.body.error).toMatch(/^The transaction is not final yet .*: try again later$/);
    expect(codeOf(pending)).toEqual([400, 'payout_not_verified']);
    await chain.finalise();
    proxy.cut();
    try {
      expect(codeOf(await recordPaid(id, hash))).toEqual([503, 'unavailable']);
      expect(await statusOf(id)).toBe('requested');
    } finally {
      proxy.restore();
    }
    await expectStatus(200, recordPaid(id, hash));
    proxy.cut();
    try {
      await expectStatus(200, recordPaid(id, hash.slice(2).toUpperCase()));
    } finally {
      proxy.restore();
    }
  });

  test('is not recorded without a hash, or with an invalid one', async () => {
    const id = await requested();
    for (const given of [undefined, 'abcd', 'sandbox-paid-1'])
      expect(codeOf(await recordPaid(id, given))).toEqual([400, 'validation_failed']);
    expect(await statusOf(id)).toBe('requested');
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    ['one unit less', () => send(24.999999), /: 0.000001 less than is asked for/],
    ['one unit more', () => send(25.000001), /: 0.000001 more than is asked for/],
    ['another recipient', () => send(25, stranger), /pays no usdc to the address/],
    ['another token', () => send(25, target, other), /pays no usdc to the address/],
    ['nothing, because it does not exist', async () => 'ab'.repeat(32), /^There is no such transaction/],
    [
      'two parts of it',
      () =>
        usdc.transferMany(platform, [
          [target, '10'],
          [target, '15'],
        ]),
      /not exactly 25/,
    ],
  ])('is not recorded with a transaction that pays %s', async (_what, pay, reason) => {
    const id = await requested();
    const hash = await pay();
    await chain.finalise();
    const answer = await recordPaid(id, hash);
    expect(codeOf(answer)).toEqual([400, 'payout_not_verified']);
    expect(answer.body.error).toMatch(reason);
    expect(await statusOf(id)).toBe('requested');
  });

  test('is not recorded with a transfer from before its request', async () => {
    const id = await requested();
    expect((await recordPaid(id, early)).body.error).toMatch(/before what it should pay for/);
    expect(await statusOf(id)).toBe('requested');
  });

  test('pays one of two withdrawals with the same terms, in any spelling, in parallel or later', async () => {
    const ids = [await requested(), await requested(), await requested()] as const;
    const hash = await send(25);
    await chain.finalise();
    const answers = await Promise.all([
      recordPaid(ids[0], hash),
      recordPaid(ids[1], hash.slice(2).toUpperCase()),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const spelling of [hash, hash.toUpperCase(), ` ${hash.slice(2)} `])
      expect(codeOf(await recordPaid(ids[2], spelling))).toEqual([409, 'transaction_used']);
    expect((await Promise.all(ids.map(statusOf))).sort()).toEqual(['paid', 'requested', 'requested']);
  });

  test('that was rejected is not recorded', async () => {
    const id = await requested();
    const hash = await send(25);
    await chain.finalise();
    await expectStatus(
      200,
      corridor.admin('POST', `/api/admin/withdrawals/${id}/reject`, { reason: 'Not now' }),
    );
    expect(codeOf(await recordPaid(id, hash))).toEqual([409, 'withdrawal_decided']);
  });
});

describe('a payout on a simulated chain', () => {
  test.each([
    [undefined, 200],
    ['feed01', 200],
    ['sandbox-paid-payout', 200],
    ['sandbox-overpaid-payout', 400],
    ['sandbox-underpaid-payout', 400],
    ['sandbox-misdirected-payout', 400],
    ['sandbox-pending-payout', 400],
    ['sandbox-missing-payout', 400],
  ])('with the hash %s gets %d', async (hash, status) => {
    const id = await requested({ chain: 'trx', address: 'TMine' });
    expect((await recordPaid(id, hash)).status).toBe(status);
    expect(await statusOf(id)).toBe(status === 200 ? 'paid' : 'requested');
  });
});

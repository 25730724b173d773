import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Address, erc20Abi, parseUnits } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  confirmedOrder,
  deposit,
  lastTransition,
  newAgent,
  newLp,
  settle,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { lpOn } from '../../support/chain-lp.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { shownVerdict } from '../../support/shown-verdict.ts';
import { expectSoundWhenStill } from '../../support/soundness.ts';

/** What the platform itself sends pays no order and no deposit. On a real EVM node. */
let chain: EvmChain;
let usdc: EvmToken;
let payer: Address;
let platform: Address;
let cold: Address;
let corridor: TestCorridor;
let agent: Agent;
/** Claims the orders. */
let lp: TestLp;
/** Wants the platform to pay the orders. */
let accomplice: TestLp;

beforeAll(async () => {
  chain = await startEvmChain();
  const [first, second, third, address] = chain.accounts as [Address, Address, Address, Address];
  [payer, platform, cold] = [first, second, third];
  usdc = await chain.deployToken('usdc', 6);
  for (const account of [payer, platform, cold]) await usdc.mint(account, '1000000');
  corridor = await startCorridor({
    env: {
      SANDBOX: 'true',
      CHAIN_BASE_RPC_URL: chain.rpcUrl,
      CHAIN_BASE_ID: String(chain.chainId),
      CHAIN_BASE_TOKENS: `usdc:${usdc.address}:6`,
      CHAIN_BASE_DEPOSIT_ADDRESS: platform,
      CHAIN_BASE_RESERVE_ADDRESSES: cold.toLowerCase(),
    },
  });
  agent = await newAgent(corridor);
  lp = await lpOn(corridor, { symbol: 'usdc', chain: 'base', address }, { collateral: 10_000 });
  accomplice = await newLp(corridor, { asset: false, collateral: 0 });
  await deposit(accomplice, 1_000);
});
afterAll(async () => {
  await corridor?.stop();
  await chain?.stop();
});

const order = (changes: object = {}) =>
  confirmedOrder(agent, lp, { crypto_chain: 'base', crypto_symbol: 'usdc', ...changes });
const owed = async (id: number): Promise<number> =>
  (await expectStatus(200, agent.call('GET', `/api/v1/status/${id}`))).crypto_amount;
const withdraw = (amount: number, address: string = lp.address) =>
  accomplice.call('POST', `/api/lp/${accomplice.key}/collateral/withdraw`, {
    ...{ amount, asset: 'usdc', chain: 'base', address },
  });
const isFromPlatform = (sender: string) =>
  `The transaction comes from ${sender}, which is the platform’s own address: only the payer’s own transfer can be the payment`;

/** A contract's or relayer's way: the platform signs, and the tokens leave another address. */
async function transferBySpender(spender: Address, from: Address, to: Address, amount: string) {
  const contract = { address: usdc.address, abi: erc20Abi, chain: null } as const;
  const units = parseUnits(amount, 6);
  await chain.mined(
    chain.client.writeContract({
      ...{ ...contract, account: from, functionName: 'approve', args: [spender, units] },
    }),
  );
  return chain.mined(
    chain.client.writeContract({
      ...{ ...contract, account: spender, functionName: 'transferFrom', args: [from, to, units] },
    }),
  );
}

describe('an order', () => {
  test.each<[string, () => Address]>([
    ['deposit address', () => platform],
    ['reserve address', () => cold],
  ])('is not paid by a transfer of its amount from the platform’s %s', async (_what, senderOf) => {
    const id = await order();
    const sender = senderOf();
    const hash = await usdc.transfer(sender, lp.address as Address, String(await owed(id)));
    await chain.finalise();
    await expectStatus(200, settle(agent, id, hash));
    await eventuallyEquals(() => statusOf(agent, id), 'confirmed');
    const { reason } = await lastTransition(corridor.admin, id);
    expect(reason.toLowerCase()).toBe(isFromPlatform(sender).toLowerCase());

    // The payer's own transfer still pays it.
    const paid = await usdc.transfer(payer, lp.address as Address, String(await owed(id)));
    await chain.finalise();
    await expectStatus(200, settle(agent, id, paid));
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  });

  test('is not paid by a transaction that the platform signs and that moves another’s tokens', async () => {
    const id = await order();
    const amount = String(await owed(id));
    const hash = await transferBySpender(platform, payer, lp.address as Address, amount);
    await chain.finalise();
    await expectStatus(200, settle(agent, id, hash));
    await eventuallyEquals(() => statusOf(agent, id), 'confirmed');
    expect((await lastTransition(corridor.admin, id)).reason).toBe(isFromPlatform(platform));
  });

  test('is not paid by the platform’s transfer of the chain’s own coin', async () => {
    const { verify } = (await import('../../../src/adapters/chain-evm.ts')).createEvmVerifier('base', {
      ...{ rpcUrl: chain.rpcUrl, chainId: chain.chainId, tokens: {}, confirmations: 1 },
      ...{ depositAddress: platform, reserveAddresses: [cold] },
    });
    const to = lp.address as Address;
    const sent = await chain.mined(
      chain.client.sendTransaction({ account: cold, to, value: 1_000_000_000_000n, chain: null }),
    );
    const terms = {
      ...{ txHash: sent.slice(2), symbol: 'eth', recipient: to, amount: '0.000001', destinationTag: null },
      ...{ notBefore: new Date(0), dueBy: null },
    };
    expect(shownVerdict(await verify({ ...terms, platformMaySend: false }))).toEqual({
      kind: 'invalid',
      reason: isFromPlatform(cold),
    });
    expect(await verify({ ...terms, platformMaySend: true })).toMatchObject({ kind: 'verified' });
  });

  test('is not paid by a payout to its LP that is on the chain and not noted yet', async () => {
    const id = await order();
    const amount = await owed(id);
    const refused = await withdraw(amount);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'amount_in_use']);
    expect(refused.body.error).toMatch(/choose an amount that differs by a cent/);

    // With another amount, the payout pays nothing but the withdrawal.
    const near = Number((amount - 0.01).toFixed(6));
    const withdrawal = await expectStatus(201, withdraw(near));
    const hash = await usdc.transfer(platform, lp.address as Address, String(near));
    await chain.finalise();
    await expectStatus(200, settle(agent, id, hash));
    await eventuallyEquals(() => statusOf(agent, id), 'confirmed');
    await expectStatus(
      200,
      corridor.admin('POST', `/api/admin/withdrawals/${withdrawal.id}/paid`, { tx_hash: hash }),
    );
  });
});

describe('a deposit', () => {
  const announce = async () => {
    const body = { amount: 50, asset: 'usdc', chain: 'base' };
    const path = `/api/lp/${accomplice.key}/collateral/deposit`;
    const { deposit_id, pay_to } = await expectStatus(200, accomplice.call('POST', path, body));
    return { id: deposit_id as number, amount: String(pay_to.amount) };
  };
  const confirm = (id: number, tx_hash?: string) =>
    accomplice.call('POST', `/api/lp/${accomplice.key}/collateral/${id}/confirm`, { tx_hash });

  test('is not credited with tokens that the platform moves to its deposit address', async () => {
    const { id, amount } = await announce();
    const moved = await usdc.transfer(cold, platform, amount);
    await chain.finalise();
    const named = await confirm(id, moved);
    expect(named).toMatchObject({ status: 400 });
    expect(named.body.error.toLowerCase()).toBe(isFromPlatform(cold).toLowerCase());
    expect((await confirm(id)).body.error).toMatch(/^No transfer of exactly .* has arrived/);

    // A search finds the LP's own transfer, although the platform's is newer.
    const own = await usdc.transfer(payer, platform, amount);
    await usdc.transfer(cold, platform, amount);
    await chain.finalise();
    await expectStatus(200, confirm(id));
    const sql = 'select tx_hash from collateral_deposit where id = $1';
    const { rows } = await corridor.db.pool.query(sql, [id]);
    expect(rows).toEqual([{ tx_hash: own.slice(2) }]);
  });
});

test.each<[string, () => Address]>([
  ['deposit', () => platform],
  ['reserve', () => cold],
])('nobody receives at the platform’s %s address', async (_what, addressOf) => {
  const asset = { symbol: 'usdc', chain: 'base', address: addressOf() };
  const refused = await accomplice.call('POST', `/api/lp/${accomplice.key}/assets`, asset);
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'validation_failed']);
  expect((await withdraw(7.5, addressOf())).status).toBe(400);
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { expectStatus } from '../../../dev/http-client.ts';
import { type Agent, adminDoes, claim, dispute, newAgent, newOrder, statusOf } from '../../support/actors.ts';
import { lpOn } from '../../support/chain-lp.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** What a real chain says about the transaction that an admin names as the payment of a disputed order. */
let chain: EvmChain;
let proxy: TcpProxy;
let usdt: EvmToken;
let payer: Address;
let target: Address;
let corridor: TestCorridor;
let agent: Agent;
let id: number;

beforeAll(async () => {
  chain = await startEvmChain({ ageMs: 20_000 });
  [payer, target] = chain.accounts as [Address, Address];
  usdt = await chain.deployToken('usdt', 6);
  await usdt.mint(payer, '1000000');
  await chain.client.request({ method: 'evm_setTime', params: [Math.ceil(Date.now() / 1_000)] } as never);
  proxy = await startTcpProxy('127.0.0.1', Number(new URL(chain.rpcUrl).port));
  corridor = await startCorridor({
    env: {
      APPROVALS: 'on',
      SANDBOX: 'true',
      CHAIN_ETH_RPC_URL: `http://127.0.0.1:${proxy.port}/?key=key-of-the-node`,
      CHAIN_ETH_ID: String(chain.chainId),
      CHAIN_ETH_TOKENS: `usdt:${usdt.address}:6`,
    },
  });
  agent = await newAgent(corridor);
  const lp = await lpOn(corridor, { symbol: 'usdt', chain: 'eth', address: target }, { collateral: 10_000 });
  id = await newOrder(agent, { crypto_chain: 'eth' });
  await expectStatus(200, claim(lp, id));
  await expectStatus(200, dispute(agent, id));
});
afterAll(async () => {
  await corridor?.stop();
  await proxy?.close();
  await chain?.stop();
});

const resolve = (tx_hash: string, query = '', more: object = {}) =>
  adminDoes(corridor.admin, `resolve${query}`, id, { outcome: 'completed', tx_hash, ...more });
const findingOn = async (tx_hash: string) =>
  (await expectStatus(200, resolve(tx_hash, '?dry_run=true'))).chain_finding;

test('it pays the order, or another amount, or nobody knows it', async () => {
  const { amount_crypto: owed } = await expectStatus(200, agent.call('GET', `/api/orders/${id}`));
  const [whole, part] = [
    await usdt.transfer(payer, target, String(owed)),
    await usdt.transfer(payer, target, '5'),
  ];
  expect(await findingOn(whole)).toMatchObject({ result: 'pending' });
  await chain.finalise();
  expect(await findingOn(whole)).toEqual({
    result: 'verified',
    detail: `The transaction pays ${owed} usdt to the order’s address, as asked for`,
  });
  expect(await findingOn(part)).toMatchObject({
    result: 'invalid',
    detail: expect.stringContaining(`The transaction pays 5 usdt, not exactly ${owed}`),
  });
  expect(await findingOn('ab'.repeat(32))).toEqual({
    result: 'not_found',
    detail: 'Ethereum does not know this transaction',
  });
});

test('a malformed hash is refused, also before another admin is asked', async () => {
  for (const [query, slash_usd] of [
    ['?dry_run=true', 0],
    ['', 0],
    ['', 1],
  ] as const) {
    const refused = await resolve('garbage', query, { slash_usd });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { fieldErrors: { tx_hash: [expect.stringContaining('64 hexadecimal digits')] } } },
    });
  }
  const { approvals } = await expectStatus(200, corridor.admin('GET', '/api/admin/approvals'));
  expect(approvals).toEqual([]);
  // A verification of it would end the dispute for a day.
  expect((await adminDoes(corridor.admin, 'retry-verification', id, { tx_hash: 'ab12' })).status).toBe(400);
  expect(await statusOf(agent, id)).toBe('disputed');
});

test('the proposal shows it to the other admin', async () => {
  const { approval } = await expectStatus(202, resolve('cd'.repeat(32), '', { slash_usd: 1 }));
  expect(approval.preview.chain_finding).toMatchObject({ result: 'not_found' });
});

test('an admin can end the dispute while the node is away, and the answer says so', async () => {
  proxy.cut();
  const done = await expectStatus(200, resolve('ef'.repeat(32)));
  expect(done.chain_finding).toEqual({
    result: 'unavailable',
    detail: expect.stringMatching(/^The chain could not be asked: eth cannot be queried: /),
  });
  expect(JSON.stringify(done)).not.toMatch(/key-of-the-node|127\.0\.0\.1/);
  expect(await statusOf(agent, id)).toBe('completed');
});

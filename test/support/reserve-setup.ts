import type { Address } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../dev/evm-chain.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { chainVerifiers } from '../../src/adapters/chain-verifiers.ts';
import type { Chains } from '../../src/adapters/ports.ts';
import type { ReconciliationReport } from '../../src/api/resources/reconciliation/schemas.ts';
import { checkReserves } from '../../src/operations/upkeep/jobs/check-reserves.ts';
import { newLp } from './actors.ts';
import { startCorridor, type TestCorridor } from './corridor.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** The holders of tokens: a payer, the platform's deposit addresses on base and polygon, its cold wallet, and a stranger. */
const HOLDERS = ['sender', 'platform', 'second', 'cold', 'stranger'] as const;
type Holder = (typeof HOLDERS)[number];

/** A Corridor without a worker, with one LP. Its two chains are the same real node. Amounts are in usdc. */
export interface ReserveSetup {
  corridor: TestCorridor;
  node: EvmChain;
  /** Between Corridor and the node, for base only. */
  proxy: TcpProxy;
  chains: Chains;
  addressOf: (holder: Holder) => Address;
  /** Transfers usdc between holders without Corridor. Returns the hash. */
  move: (from: Holder, to: Holder, amount: number) => Promise<string>;
  /** Deposits on base, until the deposit is credited. Returns its amount. */
  deposit: (usd: number) => Promise<number>;
  /** Requests a withdrawal, and returns its id. */
  withdraw: (amount: number) => Promise<number>;
  /** Makes a payout final and records it. */
  recordPaid: (id: number, txHash: string) => Promise<void>;
  /** Compares the reserves once. */
  compare: (given?: Chains, interval?: number) => Promise<void>;
  report: () => Promise<ReconciliationReport>;
  /** Compares once more. Returns the result and the count of the drift. */
  next: (given?: Chains) => Promise<[result: string, drift: number | null | undefined]>;
  /** The chains with `read` around base's reading of a balance, so that a test can act before or after it. */
  withBalance: (read: (real: () => Promise<string>) => Promise<string>) => Chains;
  stop: () => Promise<void>;
}

export async function startReserveSetup(): Promise<ReserveSetup> {
  const node = await startEvmChain();
  const addressOf = (holder: Holder) => node.accounts[HOLDERS.indexOf(holder)] as Address;
  const usdc: EvmToken = await node.deployToken('usdc', 6);
  await usdc.mint(addressOf('sender'), '1000000');
  const proxy = await startTcpProxy('127.0.0.1', Number(new URL(node.rpcUrl).port));
  const [chainId, tokens] = [String(node.chainId), `usdc:${usdc.address}:6`];
  const corridor = await startCorridor({
    worker: false,
    env: {
      SANDBOX: 'true',
      RESERVE_CHECK_INTERVAL: '100ms',
      CHAIN_BASE_RPC_URL: `http://127.0.0.1:${proxy.port}`,
      CHAIN_BASE_ID: chainId,
      CHAIN_BASE_TOKENS: tokens,
      CHAIN_BASE_DEPOSIT_ADDRESS: addressOf('platform'),
      CHAIN_POLYGON_RPC_URL: node.rpcUrl,
      CHAIN_POLYGON_ID: chainId,
      CHAIN_POLYGON_TOKENS: tokens,
      CHAIN_POLYGON_DEPOSIT_ADDRESS: addressOf('second'),
      // The deposit address again, in another spelling.
      CHAIN_POLYGON_RESERVE_ADDRESSES: `${addressOf('cold')}, ${addressOf('second').toLowerCase()}`,
    },
  });
  const { db, shared } = corridor;
  const chains = await chainVerifiers(corridor.config, db);
  const lp = await newLp(corridor, { asset: false, collateral: 0 });
  const own = (path: string) => `/api/lp/${lp.key}/collateral/${path}`;

  const move: ReserveSetup['move'] = (from, to, amount) =>
    usdc.transfer(addressOf(from), addressOf(to), amount.toFixed(6));
  const compare: ReserveSetup['compare'] = (given = chains, interval = 1) =>
    checkReserves({ db, chains: given, log: shared.log, interval });
  const report = (): Promise<ReconciliationReport> =>
    expectStatus(200, corridor.admin('GET', '/api/admin/reconciliation'));

  return {
    ...{ corridor, node, proxy, chains, addressOf, move, compare, report },
    deposit: async (usd) => {
      const body = { amount: usd, asset: 'usdc', chain: 'base' };
      const { deposit_id, pay_to } = await expectStatus(200, lp.call('POST', own('deposit'), body));
      const tx_hash = await move('sender', 'platform', pay_to.amount);
      await node.finalise();
      await expectStatus(200, lp.call('POST', own(`${deposit_id}/confirm`), { tx_hash }));
      return pay_to.amount;
    },
    withdraw: async (amount) => {
      const body = { amount, asset: 'usdc', chain: 'base', address: addressOf('stranger') };
      return (await expectStatus(201, lp.call('POST', own('withdraw'), body))).id;
    },
    recordPaid: async (id, tx_hash) => {
      await node.finalise();
      await expectStatus(200, corridor.admin('POST', `/api/admin/withdrawals/${id}/paid`, { tx_hash }));
    },
    next: async (given) => {
      await compare(given);
      const { reserves, drift } = await report();
      return [reserves.result, drift.find(({ kind }) => kind === 'reserve_shortfall')?.count];
    },
    withBalance: (read) => {
      const base = chains.get('base');
      if (!base?.balance) throw new Error('base is not set up');
      const { balance } = base;
      return new Map(chains).set('base', { ...base, balance: (...of) => read(() => balance(...of)) });
    },
    stop: async () => {
      await corridor.stop();
      await proxy.close();
      await node.stop();
    },
  };
}
